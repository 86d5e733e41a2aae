//! Names that resolve to one item, and hints that distinguish the candidates if they do not.

use serde_json::json;

use crate::world::World;

const SHAPES: &str = "pub struct Circle(f64);
impl Circle { pub fn area(&self) -> f64 { 1.0 } }
impl From<u16> for Circle { fn from(x: u16) -> Self { Circle(x as f64) } }
impl From<u32> for Circle { fn from(x: u32) -> Self { Circle(x as f64) } }
pub struct Vec2<T>(T, T);
impl Vec2<f32> { pub fn len(&self) -> f32 { 0.0 } }
impl Add for Vec2<f32> { fn add(&self) {} }
impl Add for Vec2<f64> { fn add(&self) {} }
impl Vec2<f64> { pub fn len(&self) -> f64 { 0.0 } pub fn only(&self) {} }
pub fn r#type() {}
pub mod inner { pub mod deep { pub struct Square; impl Square { pub fn r#match(&self) {} } pub fn alone() {} } pub fn twice() {} }
pub mod other { pub fn twice() {} }
";

fn world() -> World {
    let world = World::new();
    world.write(&[
        (
            "Cargo.toml",
            "[package]\nname = \"shapes\"\nversion = \"0.1.0\"\n",
        ),
        ("src/lib.rs", SHAPES),
    ]);
    world
}

/// Returns the items that a path names.
fn found(world: &World, file: &str, canon: &str, kind: &str) -> Vec<String> {
    let edit = json!({"edits": [{"mode": "insert_after", "file": file, "canon": canon, "node_type": kind, "code": "// x\nfn added() {}"}]});
    match world.reply("apply_code_edit", &edit) {
        Ok(reply) => {
            let item = json!({"item_name": canon, "node_kind": kind, "file_path": file});
            let found = world.run("code_item_lookup", item);
            assert_eq!(reply.fields["status"], "pending");
            vec![found["item"]["canon"].as_str().unwrap().to_owned()]
        }
        Err(error) => {
            let error = error.to_json();
            let candidates = error["candidates"].as_array().unwrap().iter();
            let mut found = vec![error["code"].as_str().unwrap().to_owned()];
            found.extend(candidates.map(|one| one["canon"].as_str().unwrap().to_owned()));
            found
        }
    }
}

const AREA: &str = "crate::Circle::area";
const FROM: &str = "crate::<Circle as From<u16>>::from";
const LEN: &str = "crate::Vec2<f32>::len";
const ADD: &str = "crate::<Vec2<f64> as Add>::add";
const OF_MATCH: &str = "crate::inner::deep::Square::r#match";

/// A kind, the spellings of an item of that kind, and its path.
const WRITTEN: &[(&str, &[&str], &str)] = &[
    (
        "method",
        &[
            "crate::Circle::area",
            "Circle::area",
            "area",
            "shapes::Circle::area",
            " Circle :: area ",
        ],
        AREA,
    ),
    ("function", &["Circle::area"], AREA),
    (
        "method",
        &[
            FROM,
            "<Circle as From<u16>>::from",
            "< Circle as From < u16 > > :: from",
        ],
        FROM,
    ),
    (
        "method",
        &[LEN, "Vec2<f32>::len", "crate::Vec2 < f32 > ::len"],
        LEN,
    ),
    (
        "method",
        &[ADD, "<Vec2<f64> as Add>::add", "Vec2<f64>::add"],
        ADD,
    ),
    (
        "method",
        &["crate::Vec2::only", "Vec2::only", "only"],
        "crate::Vec2::only",
    ),
    (
        "function",
        &[
            "type",
            "r#type",
            "crate::type",
            "crate::r#type",
            "shapes::r#type",
        ],
        "crate::r#type",
    ),
    (
        "method",
        &[
            OF_MATCH,
            "match",
            "r#match",
            "Square::match",
            "Square::r#match",
            "inner::deep::Square::match",
        ],
        OF_MATCH,
    ),
    (
        "function",
        &[
            "alone",
            "deep::alone",
            "inner::deep::alone",
            "crate::inner::deep::alone",
        ],
        "crate::inner::deep::alone",
    ),
    ("function", &["inner::twice"], "crate::inner::twice"),
];

#[test]
fn names_resolve_as_people_write_them() {
    let world = world();
    for (kind, ways, canon) in WRITTEN {
        for written in *ways {
            for file in ["src/lib.rs", "lib.rs"] {
                assert_eq!(
                    found(&world, file, written, kind),
                    [*canon],
                    "{written} in {file}"
                );
            }
        }
    }
}

#[test]
fn a_name_of_several_items_lists_them_apart() {
    let world = world();
    for (kind, written, canons) in [
        (
            "function",
            "twice",
            ["crate::inner::twice", "crate::other::twice"],
        ),
        (
            "method",
            "Vec2::len",
            ["crate::Vec2<f32>::len", "crate::Vec2<f64>::len"],
        ),
        (
            "method",
            "crate::Vec2::len",
            ["crate::Vec2<f32>::len", "crate::Vec2<f64>::len"],
        ),
        (
            "method",
            "len",
            ["crate::Vec2<f32>::len", "crate::Vec2<f64>::len"],
        ),
        (
            "method",
            "Vec2::add",
            [
                "crate::<Vec2<f32> as Add>::add",
                "crate::<Vec2<f64> as Add>::add",
            ],
        ),
        (
            "method",
            "<Vec2 as Add>::add",
            [
                "crate::<Vec2<f32> as Add>::add",
                "crate::<Vec2<f64> as Add>::add",
            ],
        ),
        (
            "method",
            "Circle::from",
            [
                "crate::<Circle as From<u16>>::from",
                "crate::<Circle as From<u32>>::from",
            ],
        ),
    ] {
        let found = found(&world, "src/lib.rs", written, kind);
        assert_eq!(found[0], "AMBIGUOUS_ITEM", "{written}");
        assert_eq!(found[1..], canons, "{written}");
    }
    // The end of a name is not a name.
    for (kind, written) in [
        ("method", "rea"),
        ("function", "ype"),
        ("method", "ircle::area"),
        ("function", "p::alone"),
    ] {
        assert_eq!(
            found(&world, "src/lib.rs", written, kind)[0],
            "ITEM_NOT_FOUND",
            "{written}"
        );
    }
}
