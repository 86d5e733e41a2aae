//! Changes, which reach the listeners that selected them, at once.

use std::task::{Context, Poll, Waker};

use futures::StreamExt;
use futures::executor::block_on;
use futures::stream::LocalBoxStream;
use mcp::server::{Change, Filter, Service};
use serde_json::json;

use super::world::{World, able, world};

const WATCHED: &str = "test://watched-resource";

fn watch(world: &World, filter: &Filter) -> LocalBoxStream<'static, Change> {
    block_on(world.service.watch(filter)).unwrap()
}

/// Returns the changes that have arrived so far.
fn heard(stream: &mut LocalBoxStream<'static, Change>) -> Vec<Change> {
    let mut context = Context::from_waker(Waker::noop());
    let mut heard = Vec::new();
    while let Poll::Ready(Some(change)) = stream.poll_next_unpin(&mut context) {
        heard.push(change);
    }
    heard
}

#[test]
fn each_hears_what_it_wants() {
    let world = world();
    let tools = Filter {
        tools: true,
        ..Filter::default()
    };
    let prompts = Filter {
        prompts: true,
        ..Filter::default()
    };
    let resources = Filter {
        resources: true,
        uris: vec![WATCHED.to_owned()],
        ..Filter::default()
    };
    let mut streams = [tools, prompts, resources].map(|filter| watch(&world, &filter));
    for tool in [
        "test_trigger_tool_change",
        "test_trigger_prompt_change",
        "test_trigger_resource_change",
        "test_trigger_resource_update",
    ] {
        world.call(tool);
    }
    let [tools, prompts, resources] = &mut streams;
    assert_eq!(heard(tools), [Change::Tools]);
    assert_eq!(heard(prompts), [Change::Prompts]);
    assert_eq!(
        heard(resources),
        [Change::Resources, Change::Updated(WATCHED.to_owned())]
    );
}

#[test]
fn a_change_is_a_change_of_the_list() {
    let world = world();
    for (tool, method, member, name) in [
        (
            "test_trigger_tool_change",
            "tools/list",
            "tools",
            "test_changing_tool",
        ),
        (
            "test_trigger_prompt_change",
            "prompts/list",
            "prompts",
            "test_changing_prompt",
        ),
        (
            "test_trigger_resource_change",
            "resources/list",
            "resources",
            "changing-resource",
        ),
    ] {
        for expected in [false, true, false] {
            let result = world.send(method, &json!({}), &able()).unwrap();
            let entries = result[member].as_array().unwrap();
            assert_eq!(entries.iter().any(|entry| entry["name"] == name), expected);
            world.call(tool);
        }
        world.call(tool);
    }
    let read = || {
        let result = world.send("resources/read", &json!({ "uri": WATCHED }), &able());
        result.unwrap()["contents"].clone()
    };
    let before = read();
    world.call("test_trigger_resource_update");
    assert_ne!(read(), before);
}

#[test]
fn who_is_gone_or_too_slow_is_dropped() {
    let world = world();
    let filter = Filter {
        tools: true,
        ..Filter::default()
    };
    drop(watch(&world, &filter));
    let mut slow = watch(&world, &filter);
    assert_eq!(world.instance.listeners(), 1);
    for _ in 0..200 {
        world.call("test_trigger_tool_change");
    }
    assert_eq!(world.instance.listeners(), 0);
    assert!(heard(&mut slow).len() < 200);
    assert!(block_on(slow.next()).is_none());
}

#[test]
fn only_resources_that_exist_are_agreed_on() {
    let world = world();
    let wanted = Filter {
        tools: true,
        uris: vec![
            "test://none".to_owned(),
            WATCHED.to_owned(),
            "test://template/1/data".to_owned(),
        ],
        ..Filter::default()
    };
    let agreed = world.service.agreed(&wanted);
    assert!(agreed.tools && !agreed.prompts);
    assert_eq!(agreed.uris, [WATCHED, "test://template/1/data"]);
}
