//! `codemode sync` and `codemode status`.

use std::fs;
use std::time::{Duration, UNIX_EPOCH};

use code_model::hash::file_hash;
use command::client::Client;
use command::comparison::scan;
use command::directory::{Directory, Hashes};
use command::failure::Ending;
use serde_json::json;

use crate::server::Instead;
use crate::world::{World, run};

#[test]
fn only_what_changed_is_sent() {
    let world = World::synced();
    assert_eq!(world.paths(), ["Cargo.toml", "src/lib.rs"]);
    world.server.asked();
    assert_eq!(world.sync().done(), "version 1: 0 files sent, 0 deleted\n");
    let asked: Vec<String> = world
        .server
        .asked()
        .into_iter()
        .map(|asked| asked.operation)
        .collect();
    assert_eq!(asked, ["scan_for_change", "list_proposals"]);
    world.write("src/lib.rs", "fn c() {}\n");
    world.write("README.md", "# A\n");
    fs::remove_file(world.path("Cargo.toml")).unwrap();
    assert_eq!(world.sync().done(), "version 3: 2 files sent, 1 deleted\n");
    assert_eq!(world.paths(), ["README.md", "src/lib.rs"]);
    assert_eq!(world.text("src/lib.rs"), "fn c() {}\n");
}

#[test]
fn files_of_all_kinds_arrive_as_they_are() {
    let world = World::new();
    let files: [(&str, Vec<u8>); 6] = [
        ("empty.rs", Vec::new()),
        ("windows.rs", b"fn a() {}\r\nfn b() {}\r\n".to_vec()),
        ("marked.rs", b"\xef\xbb\xbffn a() {}\n".to_vec()),
        ("picture.png", vec![0x89, b'P', 0, 0xff, 0xfe]),
        ("\u{e4} \u{f6}/\u{1f980}.md", b"x".to_vec()),
        (
            "large.txt",
            b"some words in a line of a large file\n".repeat(150_000),
        ),
    ];
    assert!(files[5].1.len() > 5_000_000);
    for (path, bytes) in &files {
        world.write(path, bytes);
    }
    world.sync().done();
    for (path, bytes) in &files {
        let known = world
            .server
            .call("get_file_metadata", json!({ "file_path": path }));
        assert_eq!(known["file_hash"], file_hash(bytes).to_string(), "{path}");
    }
    assert_eq!(world.sync().done(), "version 1: 0 files sent, 0 deleted\n");
}

#[test]
fn names_that_differ_in_case_are_two_files_and_are_told() {
    let world = World::new();
    world.write("a.rs", "fn a() {}\n");
    world.write("A.rs", "fn b() {}\n");
    if fs::read_dir(&world.folder.0).unwrap().count() == 1 {
        // On this file system they are one file.
        return;
    }
    let out = world.sync().done();
    assert!(
        out.contains("A.rs and a.rs are the same file on some systems"),
        "{out}"
    );
    assert_eq!(world.paths(), ["A.rs", "a.rs"]);
}

#[test]
fn what_cannot_go_is_named_and_not_deleted() {
    let world = World::synced();
    world.write("large.bin", vec![b'x'; 9 * 1024 * 1024]);
    world.write("aux.rs", "fn a() {}\n");
    let out = world.sync().ended(Ending::LeftOut);
    assert!(
        out.contains("left out: large.bin: it has more than 8388608 bytes"),
        "{out}"
    );
    assert!(
        out.contains(
            "left out: aux.rs: the path \"aux.rs\" has the part \"aux.rs\", which names a device"
        ),
        "{out}"
    );
    // A file of the workspace grows beyond the limit.
    world.write("src/lib.rs", vec![b' '; 9 * 1024 * 1024]);
    world.sync().ended(Ending::LeftOut);
    assert_eq!(world.paths(), ["Cargo.toml", "src/lib.rs"]);
}

#[test]
fn a_file_that_vanishes_meanwhile_is_left_to_the_next_sync() {
    let world = World::synced();
    world.write("gone.rs", "fn g() {}\n");
    world.write("stays.rs", "fn s() {}\n");
    let gone = world.path("gone.rs");
    world.server.instead(move |asked| {
        // The file was listed before.
        if asked.operation == "list_proposals" {
            fs::remove_file(&gone).unwrap();
        }
        None
    });
    assert_eq!(world.sync().done(), "version 2: 1 files sent, 0 deleted\n");
    assert_eq!(world.paths(), ["Cargo.toml", "src/lib.rs", "stays.rs"]);
}

#[test]
fn a_sync_goes_on_where_the_server_ended() {
    let world = World::new();
    for number in 0..1_200 {
        world.write(&format!("f{number}.txt"), format!("{number}\n"));
    }
    let mut archives = 0;
    world.server.instead(move |asked| {
        archives += usize::from(asked.operation == "files");
        (archives == 2).then_some(Instead::Cut)
    });
    let text = world.sync().ended(Ending::Unreachable);
    assert!(
        text.contains("500 of 1200 changes were sent before the error"),
        "{text}"
    );
    assert!(
        text.contains("hint: check --url; changes that were sent before the error stay"),
        "{text}"
    );
    world.server.as_usual();
    assert_eq!(world.paths().len(), 500);
    assert_eq!(
        world.sync().done(),
        "version 3: 700 files sent, 0 deleted\n"
    );
    assert_eq!(world.paths().len(), 1_200);
}

#[test]
fn a_list_that_is_too_long_for_one_request_goes_in_pieces() {
    let world = World::synced();
    for number in 0..30 {
        world.write(&format!("f{number}.txt"), "x");
    }
    world.sync().done();
    fs::remove_file(world.path("f7.txt")).unwrap();
    world.write("f8.txt", "y");
    world.write("new.txt", "y");
    let listing = Directory::open(&world.folder.0)
        .unwrap()
        .list(&mut Hashes::default());
    let client = Client::new(&world.url(), "w", None).unwrap();
    let mut found = Vec::new();
    // Pieces of one file, of some, and of all.
    for (most_bytes, pieces) in [(1, 32), (1_000, 4), (1_000_000, 1)] {
        world.server.asked();
        let scan = scan(&client, &listing.files, most_bytes).unwrap();
        let asked = world
            .server
            .asked()
            .into_iter()
            .filter(|asked| asked.operation == "scan_for_change")
            .count();
        assert_eq!(asked, pieces);
        found.push((scan.added, scan.changed, scan.deleted));
    }
    let expected = ["new.txt", "f8.txt", "f7.txt"].map(|path| vec![path.to_owned()]);
    for (added, changed, deleted) in found {
        assert_eq!([added, changed, deleted], expected);
    }
}

#[test]
fn twenty_thousand_files_are_synced() {
    let world = World::new();
    for number in 0..20_000 {
        world.write(
            &format!("d{}/f{number}.txt", number / 100),
            format!("{number}\n"),
        );
    }
    assert_eq!(
        world.sync().done(),
        "version 40: 20000 files sent, 0 deleted\n"
    );
    world.write("d7/f700.txt", "another text\n");
    assert_eq!(world.sync().done(), "version 41: 1 files sent, 0 deleted\n");
}

#[test]
fn an_approved_edit_that_is_not_on_disk_is_not_sent_over() {
    let world = World::synced();
    world.write("other.rs", "fn o() {}\n");
    world.approve("one", &[("src/lib.rs", "crate::a", "fn a() { 2; }")]);
    let out = world.sync().ended(Ending::LeftOut);
    assert!(
        out.contains(
            "not sent: src/lib.rs has an approved edit that is not on disk: run codemode apply\n"
        ),
        "{out}"
    );
    // The other files were synced.
    assert_eq!(world.text("other.rs"), "fn o() {}\n");
    assert!(world.text("src/lib.rs").contains("fn a() { 2; }"));
    // Changed on disk as well, or deleted there.
    world.write("src/lib.rs", "fn mine() {}\n");
    let out = world.sync().ended(Ending::LeftOut);
    assert!(
        out.contains("has an approved edit, and was changed on disk as well"),
        "{out}"
    );
    fs::remove_file(world.path("src/lib.rs")).unwrap();
    world.sync().ended(Ending::LeftOut);
    assert!(world.text("src/lib.rs").contains("fn a() { 2; }"));
    world.write("src/lib.rs", "fn mine() {}\n");
    let out = world.sync_with("--overwrite").done();
    assert!(
        out.contains("overwrites an approved edit that is not on disk: src/lib.rs\n"),
        "{out}"
    );
    assert!(out.contains("1 files sent"), "{out}");
    assert_eq!(world.text("src/lib.rs"), "fn mine() {}\n");
    world.sync().done();
}

#[test]
fn a_change_on_top_of_an_applied_edit_is_sent() {
    let world = World::synced();
    world.approve("one", &[("src/lib.rs", "crate::a", "fn a() { 2; }")]);
    world.apply().done();
    world.write("src/lib.rs", "fn later() {}\n");
    assert_eq!(world.sync().done(), "version 3: 1 files sent, 0 deleted\n");
    // The same result if a person wrote the edit to disk, and a sync saw it.
    let staged = "fn later() { 3; }\n";
    world.approve("two", &[("src/lib.rs", "crate::later", staged.trim_end())]);
    world.write("src/lib.rs", staged);
    world.sync().done();
    world.write("src/lib.rs", "fn last() {}\n");
    world.sync().done();
    assert_eq!(world.text("src/lib.rs"), "fn last() {}\n");
}

#[test]
fn an_edit_that_is_approved_during_a_sync_is_not_lost_unsaid() {
    for (before_archive, said, text) in [
        (
            1,
            "not sent: src/lib.rs has an approved edit",
            "fn a() { 2; }\n\nfn b() { 1; }\n",
        ),
        (
            2,
            "overwrote an edit that was approved in the meantime: src/lib.rs: one (version 3)",
            "fn a() { 1; }\n\nfn b() { 7; }\n",
        ),
    ] {
        let world = World::synced();
        // Each file needs an archive of its own.
        world.write("big/a.txt", vec![b'x'; 5 * 1024 * 1024]);
        world.write("big/b.txt", vec![b'y'; 5 * 1024 * 1024]);
        world.write("src/lib.rs", "fn a() { 1; }\n\nfn b() { 7; }\n");
        world.propose("one", &[("src/lib.rs", "crate::a", "fn a() { 2; }")]);
        let mut archives = 0;
        world.server.instead(move |asked| {
            archives += usize::from(asked.operation == "files");
            let is_now = asked.operation == "files" && archives == before_archive;
            is_now.then(|| Instead::First("approve_proposal", json!({ "requestId": "one" })))
        });
        let out = world.sync().ended(Ending::LeftOut);
        assert!(out.contains(said), "{out}");
        assert_eq!(world.text("src/lib.rs"), text);
    }
}

#[test]
fn an_empty_directory_deletes_nothing() {
    let world = World::synced();
    fs::remove_dir_all(&world.folder.0).unwrap();
    fs::create_dir(&world.folder.0).unwrap();
    let text = world.sync().ended(Ending::Usage);
    assert!(
        text.contains(
            "the directory has no files, so all 2 files of the workspace would be deleted"
        ),
        "{text}"
    );
    assert_eq!(world.paths().len(), 2);
}

#[test]
fn the_status_tells_what_differs_and_what_waits() {
    let world = World::synced();
    assert!(
        world
            .status()
            .done()
            .ends_with("directory and workspace are equal\n")
    );
    world.propose("two", &[("src/lib.rs", "crate::b", "fn b() { 2; }")]);
    world.approve("one", &[("src/lib.rs", "crate::a", "fn a() { 2; }")]);
    world.write("new.rs", "fn n() {}\n");
    world.write(
        "Cargo.toml",
        "[package]\nname = \"a\"\nversion = \"0.2.0\"\n",
    );
    let out = world.status().done();
    let lines: Vec<&str> = out.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "A new.rs",
            "M Cargo.toml",
            "> src/lib.rs: an approved edit (one) is not on disk: run codemode apply",
            "? two: waits for a decision: src/lib.rs"
        ]
    );
    assert_eq!(world.paths().len(), 2, "nothing is sent");
}

#[test]
fn arguments_that_are_not_usable_are_told() {
    let world = World::new();
    let directory = world.folder.0.to_str().unwrap();
    let nobody = "http://127.0.0.1:1";
    for (arguments, ending, text) in [
        ("sync DIR --workspace w", Ending::Usage, "--url <URL>"),
        (
            "sync DIR --url ftp://x --workspace w",
            Ending::Usage,
            "is not the address of a server",
        ),
        (
            "sync DIR --url http://127.0.0.1:1@evil.example --workspace w",
            Ending::Usage,
            "is not the address of a server",
        ),
        (
            "sync DIR --url http://db.example.com --workspace w --token t",
            Ending::Usage,
            "without encryption",
        ),
        (
            "sync DIR --url NOBODY --workspace=",
            Ending::Usage,
            "the name of the workspace is empty",
        ),
        (
            "sync DIR --url NOBODY --workspace w",
            Ending::Unreachable,
            "no response from http://127.0.0.1:1/api/code/w",
        ),
        (
            "sync /no/such/folder --url NOBODY --workspace w",
            Ending::Local,
            "cannot open /no/such/folder",
        ),
        ("fly", Ending::Usage, "unrecognized subcommand 'fly'"),
        ("--help", Ending::Done, "codemode sync . --watch"),
        ("apply --help", Ending::Done, "codemode apply trim-1"),
    ] {
        let words = arguments.split(' ').map(|word| match word {
            "DIR" => directory,
            "NOBODY" => nobody,
            word => word,
        });
        let said = run(&words.collect::<Vec<&str>>()).ended(ending);
        assert!(said.contains(text), "{arguments}: {said}");
    }
}

#[test]
fn the_token_goes_to_the_server_and_nowhere_else() {
    let world = World::synced();
    let (url, directory) = (world.url(), world.folder.0.to_str().unwrap());
    world.server.asked();
    let arguments = [
        "status",
        directory,
        "--url",
        &url,
        "--workspace",
        "a b/\u{e4}",
        "--token",
        "secret",
    ];
    run(&arguments).done();
    for asked in world.server.asked() {
        assert_eq!(asked.authorization.as_deref(), Some("Bearer secret"));
        assert_eq!(asked.path, "/api/code/a%20b%2F%C3%A4");
    }
    world.server.instead(|_| {
        Some(Instead::Status(
            "307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/",
        ))
    });
    let said = run(&arguments).ended(Ending::Refused);
    assert!(
        said.contains("it redirects to http://127.0.0.1:1/"),
        "{said}"
    );
    let message = "the token\u{1b}[2J is unknown\nversion 9: 0 files sent\r\u{2028}\u{202e}";
    let refusal =
        json!({ "success": false, "error": { "code": "UNAUTHORIZED", "message": message } });
    world
        .server
        .instead(move |_| Some(Instead::Respond(refusal.clone())));
    let said = run(&arguments).ended(Ending::Refused);
    assert!(
        said.contains(
            "the server refused scan_for_change: “the token⟨U+001B⟩[2J is unknown\\nversion 9: 0 files sent\\r⟨U+2028⟩⟨U+202E⟩” (UNAUTHORIZED)"
        ),
        "{said}"
    );
    assert!(
        said.contains("hint: give the token of your tenant with --token or CODEMODE_TOKEN"),
        "{said}"
    );
}

#[test]
fn a_file_arrives_with_the_time_of_its_last_change() {
    let world = World::new();
    world.write("a.txt", "a\n");
    let changed = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let file = fs::File::options().write(true).open(world.path("a.txt"));
    file.unwrap().set_modified(changed).unwrap();
    world.sync().done();
    let told = world
        .server
        .call("get_file_metadata", json!({ "file_path": "a.txt" }));
    assert_eq!(told["modified_ms"], 1_700_000_000_000_u64);
}
