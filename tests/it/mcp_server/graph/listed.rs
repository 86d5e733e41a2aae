//! The graph as resources, prompts and completions.

use super::*;

#[test]
pub(super) fn the_graph_is_a_resource_page_by_page() {
    let client = Client::new(3_000);
    let nodes: Vec<Value> = (0..100).map(|at| json!({"id": format!("n{at}"), "label": format!("node {at}"), "type": if at % 2 == 0 { "gene" } else { "drug" }})).collect();
    client.said("addMultipleNodes", json!({ "nodes": nodes }));
    let resources = complete(client.ask("resources/list", &json!({})).unwrap());
    let mut uri = format!(
        "{}?type=gene",
        resources["resources"][0]["uri"].as_str().unwrap()
    );
    let mut seen = 0;
    loop {
        let read = complete(
            client
                .ask("resources/read", &json!({ "uri": uri }))
                .unwrap(),
        );
        let text = read["contents"][0]["text"].as_str().unwrap();
        assert!(estimate(text) <= 3_000);
        let page: Value = serde_json::from_str(text).unwrap();
        seen += page["data"]["nodes"].as_array().unwrap().len();
        match page["next"].as_str() {
            Some(next) => uri = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(seen, 50);
    for uri in [
        "graph://other",
        "ui://graph/viewer",
        "db://s/schema",
        "graph://chat%3A1?cursor=nonsense",
    ] {
        let fault = client
            .ask("resources/read", &json!({ "uri": uri }))
            .unwrap_err();
        assert_eq!(
            (
                fault.code,
                fault.data.unwrap()["uri"].as_str().unwrap().to_owned()
            ),
            (-32602, uri.to_owned())
        );
    }
    let filter = Filter {
        resources: true,
        uris: [
            "graph://chat%3A1",
            "graph://chat:1",
            "graph://other",
            "ui://graph/viewer",
        ]
        .map(str::to_owned)
        .to_vec(),
        ..Filter::default()
    };
    let agreed = client.product.agreed(&filter);
    assert_eq!(
        (agreed.resources, agreed.uris),
        (
            false,
            vec!["graph://chat%3A1".to_owned(), "graph://chat:1".to_owned()]
        )
    );
}

#[test]
pub(super) fn prompts_and_completion_know_the_graph() {
    let client = Client::with_diabetes();
    let prompt = |name: &str, arguments: Value| {
        let params = json!({ "name": name, "arguments": arguments });
        let read = complete(client.ask("prompts/get", &params).unwrap());
        read["messages"][0]["content"]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert!(prompt("extend_graph", json!({"topic": "diabetes"})).contains("Type 2 Diabetes"));
    assert!(prompt("explain_connection", json!({"from": "TP53", "to": "d"})).contains("paths"));
    let values = |of: Value, name: &str, value: &str| {
        let params = json!({ "ref": of, "argument": { "name": name, "value": value } });
        complete(client.ask("completion/complete", &params).unwrap())["completion"]["values"]
            .clone()
    };
    let connection = json!({"type": "ref/prompt", "name": "explain_connection"});
    assert_eq!(values(connection.clone(), "from", "tp"), json!(["TP53"]));
    assert_eq!(
        values(connection.clone(), "to", ""),
        json!(["TP53", "Type 2 Diabetes"])
    );
    let template = json!({"type": "ref/resource", "uri": "graph://{conversationId}{?type,cursor}"});
    assert_eq!(values(template.clone(), "type", "dis"), json!(["disease"]));
    assert_eq!(values(template, "conversationId", "ch"), json!(["chat:1"]));
    let params = json!({ "ref": connection, "argument": { "name": "topic", "value": "" } });
    assert_eq!(
        client.ask("completion/complete", &params).unwrap_err().code,
        -32602
    );
}

#[test]
pub(super) fn a_tool_of_another_endpoint_or_one_that_writes_is_not_called() {
    let mut client = Client::new(25_000);
    let call = |client: &Client, name: &str| {
        client
            .ask("tools/call", &json!({"name": name, "arguments": {}}))
            .unwrap_err()
    };
    assert!(
        call(&client, "db_query")
            .message
            .starts_with("Unknown tool")
    );
    assert!(
        call(&client, "addNod")
            .message
            .ends_with("did you mean `addNode`?")
    );
    client.product.terms.access = Access::ReadOnly;
    assert_eq!(
        call(&client, "undo").data.unwrap()["code"],
        "TOOL_NOT_IN_PROFILE"
    );
    assert_eq!(client.object.asked.get(), 0);
}
