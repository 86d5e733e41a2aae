//! Proposals that are decided: stale ones, all or some of them, and reverts.

use super::*;

#[test]
pub(super) fn overlapping_proposals_go_stale_and_others_stay() {
    let world = world();
    let one = world.propose("src/lib.rs", "crate::add", "function", "fn add() {}");
    let other = world.propose("src/lib.rs", "crate::add", "function", "fn add() { 2; }");
    let apart = world.propose(
        "src/lib.rs",
        "crate::inner::X::m",
        "method",
        "fn m(&self) -> u8 { 2 }",
    );
    let approved = world.approve(&one);
    assert_eq!(approved["stale"], json!([other["requestId"]]));
    let error = world.error(
        "approve_proposal",
        json!({ "requestId": other["requestId"] }),
    );
    assert_eq!(error.details()["status"], "stale");
    assert_eq!(world.approve(&apart)["ok"], true);
    let text = world.text("src/lib.rs");
    assert!(
        text.contains("fn add() {}") && text.contains("{ 2 }"),
        "{text}"
    );
}

#[test]
pub(super) fn all_are_approved_and_one_is_denied() {
    let world = world();
    let denied = world.propose("src/lib.rs", "crate::X", "struct", "struct X(u8);");
    let answer = world.run(
        "deny_proposal",
        json!({ "requestId": denied["requestId"], "reason": "no" }),
    );
    assert_eq!(answer["status"], "denied");
    world.propose("src/lib.rs", "crate::add", "function", "fn add() {}");
    world.propose("src/lib.rs", "crate::add", "function", "fn add() { 2; }");
    world.propose(
        "src/lib.rs",
        "crate::inner::X",
        "struct",
        "pub struct X(u8);",
    );
    let all = world.run("approve_all", json!({}));
    assert_eq!((&all["applied"], &all["ok"]), (&json!(2), &json!(false)));
    let states: Vec<&str> = all["proposals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["status"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["applied", "stale", "applied"]);
    assert_eq!(world.run("list_proposals", json!({}))["pending"], 0);
    assert_eq!(
        world
            .error("deny_proposal", json!({ "requestId": "none" }))
            .code(),
        "PROPOSAL_NOT_FOUND"
    );
}

#[test]
pub(super) fn a_revert_waits_for_nobody_elses_change() {
    let world = world();
    let staged = world.propose("src/lib.rs", "crate::add", "function", "fn add() {}");
    assert_eq!(
        world
            .error(
                "revert_proposal",
                json!({ "requestId": staged["requestId"] })
            )
            .code(),
        "PROPOSAL_DECIDED"
    );
    world.approve(&staged);
    world.write(&[("src/lib.rs", "fn other() {}\n")]);
    assert_eq!(
        world
            .error(
                "revert_proposal",
                json!({ "requestId": staged["requestId"] })
            )
            .code(),
        "CODE_CHANGED"
    );
}

#[test]
pub(super) fn confident_edits_are_applied_where_the_deployment_says_so() {
    let world = World::with(Settings {
        auto_confirm_from: Some(0.9),
        ..Settings::default()
    });
    world.write(&[MANIFEST, ("src/lib.rs", LIB)]);
    let edit = |confidence: f64, code: &str| json!({"confidence": confidence, "preview_mode": "codeblock", "edits": [{"mode": "canonical", "file": "src/lib.rs", "canon": "crate::add", "node_type": "function", "code": code}]});
    let waiting = world.run("apply_code_edit", edit(0.8, "fn add() { 1; }"));
    assert_eq!(
        (&waiting["auto_confirmed"], &waiting["applied"]),
        (&json!(false), &json!(0))
    );
    assert_eq!(
        waiting["preview"],
        "src/lib.rs, line 4\n```rust\nfn add() { 1; }\n```\n"
    );
    let applied = world.run("apply_code_edit", edit(0.9, "fn add() { 2; }"));
    assert_eq!(
        (
            &applied["auto_confirmed"],
            &applied["applied"],
            &applied["status"]
        ),
        (&json!(true), &json!(1), &json!("applied"))
    );
    assert!(world.text("src/lib.rs").contains("{ 2; }"));
    assert_eq!(
        world
            .error("apply_code_edit", edit(1.5, "fn add() {}"))
            .code(),
        "INVALID_ARGUMENT"
    );
}
