//! Searches in a catalogue of sixty tools of six servers.

use mcp::Tool;
use serde_json::json;
use tools::search::search;

use super::{catalogue, named, without_parameters};

/// Queries of users, each with the tool that it should find.
const QUERIES: [(&str, &str); 36] = [
    ("find papers by author", "pubs.find_papers_by_author"),
    ("search literature", "pubs.search"),
    ("articles about a topic in PubMed", "pubs.search"),
    ("abstract of an article", "pubs.get_abstracts"),
    ("full text", "pubs.get_full_text"),
    ("who cites this paper", "pubs.get_citations"),
    (
        "bibliography references of an article",
        "pubs.get_references",
    ),
    ("DOI to PMID", "pubs.convert_ids"),
    ("medical subject headings", "pubs.lookup_mesh_term"),
    ("clinical trials for a disease", "trials.searchStudies"),
    ("recruiting trials near me", "trials.findTrialsNearby"),
    ("trial by NCT number", "trials.getStudy"),
    ("inclusion criteria", "trials.getEligibility"),
    ("adverse events", "trials.getAdverseEvents"),
    ("number of trials by phase", "trials.countStudies"),
    ("who sponsors trials", "trials.listSponsors"),
    ("gene by symbol", "genes.gene-search"),
    ("clinical significance of a variant", "genes.variant-lookup"),
    ("amino acid sequence", "genes.protein-sequence"),
    ("3D structure of protein", "genes.protein-structure"),
    ("expression tissue", "genes.expression-by-tissue"),
    ("align sequences", "genes.blast"),
    ("same gene in mouse, other species", "genes.orthologs"),
    ("pharos graphql", "drugs.pharos_graphql_query"),
    ("drug drug interaction", "drugs.drug_interactions"),
    ("compound by SMILES", "drugs.compound_search"),
    ("side effects", "drugs.side_effects"),
    ("what dose for a child by weight", "drugs.dosage"),
    ("open an issue", "github.create_issue"),
    ("comment on pull request", "github.add_comment"),
    ("read a file from a repository", "github.get_file_contents"),
    ("continuous integration runs", "github.list_workflow_runs"),
    ("send a mail", "office.send_email"),
    ("schedule a meeting", "office.create_event"),
    ("wether forecst", "office.get_weather"),
    ("translation", "office.translate_text"),
];

fn found(query: &str) -> Vec<String> {
    let servers = catalogue();
    let tools = servers
        .iter()
        .flat_map(|(server, tools)| tools.iter().map(move |tool| (server.as_str(), tool)));
    search(query, tools)
        .iter()
        .map(|hit| format!("{}.{}", hit.server, hit.tool.name))
        .collect()
}

#[test]
fn the_tool_that_is_meant_comes_first_or_among_the_first_five() {
    let mut first = 0;
    let mut among_five = 0;
    let mut misses = String::new();
    for (query, meant) in QUERIES {
        let found = found(query);
        let place = found.iter().position(|name| name == meant);
        first += usize::from(place == Some(0));
        among_five += usize::from(place.is_some_and(|place| place < 5));
        if place != Some(0) {
            let top = &found[..found.len().min(3)];
            misses.push_str(&format!(
                "{query:?}: {meant} at {place:?}, before it {top:?}\n"
            ));
        }
    }
    // Measured: 30 and 35 of these 36.
    assert!(
        first >= 29 && among_five >= 34,
        "first {first}, among five {among_five}\n{misses}"
    );
}

#[test]
fn a_name_as_it_is_written_comes_first() {
    for (server, tools) in catalogue() {
        for tool in tools {
            let name = format!("{server}.{}", tool.name);
            assert_eq!(found(&name)[0], name);
            let spaced = tool.name.replace(['_', '-'], " ");
            assert!(found(&spaced)[0].ends_with(&tool.name), "{spaced}");
        }
    }
    assert_eq!(found("GETSTUDY")[0], "trials.getStudy");
}

#[test]
fn misspelt_words_find_what_was_meant() {
    for (query, meant) in [
        ("serch litrature", "pubs.search"),
        ("abstarcts", "pubs.get_abstracts"),
        ("elegibility", "trials.getEligibility"),
        ("protien structre", "genes.protein-structure"),
        ("calender meeting", "office.create_event"),
    ] {
        let found = found(query);
        assert!(
            found.iter().take(3).any(|name| name == meant),
            "{query}: {found:?}"
        );
    }
}

#[test]
fn names_in_mixed_case_are_found_however_they_are_written() {
    let tools = [
        ("annotate", "Annotate a variant with ClinVar significance"),
        (
            "accession",
            "Maps to a UniProt accession, ChEMBL or DrugBank",
        ),
        ("repository", "Reads a repository of GitHub"),
        ("video", "Captions of a YouTube video"),
        ("warehouse", "Runs SQL on BigQuery and PostgreSQL"),
        ("plain", "searches pubmed"),
    ]
    .map(|(name, description)| Tool {
        description: description.to_owned(),
        ..without_parameters(name)
    });
    let first = |query: &str| {
        search(query, tools.iter().map(|tool| ("s", tool)))
            .first()
            .map(|hit| hit.tool.name.clone())
    };
    for (query, meant) in [
        ("clinvar", "annotate"),
        ("ClinVar", "annotate"),
        ("CLINVAR", "annotate"),
        ("clinvr", "annotate"),
        ("uniprot", "accession"),
        ("chembl", "accession"),
        ("drugbank", "accession"),
        ("github", "repository"),
        ("Github", "repository"),
        ("youtube captions", "video"),
        ("bigquery", "warehouse"),
        ("postgresql", "warehouse"),
        ("PubMed", "plain"),
    ] {
        assert_eq!(first(query).as_deref(), Some(meant), "{query}");
    }
}

#[test]
fn without_words_all_tools_stand_in_their_order() {
    let all = found("");
    assert_eq!(all.len(), 60);
    assert_eq!(all[0], "pubs.search");
    assert_eq!(found("  ?! "), all);
}

#[test]
fn what_stands_nowhere_finds_nothing() {
    assert_eq!(found("xyzzy"), Vec::<String>::new());
    assert_eq!(found("the of a"), found("of the a"));
}

#[test]
fn equal_scores_stand_in_the_order_of_server_and_name() {
    let tools: Vec<Tool> = ["b", "c", "a"]
        .map(without_parameters)
        .into_iter()
        .map(|tool| Tool {
            description: "lists planets".to_owned(),
            ..tool
        })
        .collect();
    let pairs = || {
        ["z", "y"]
            .into_iter()
            .flat_map(|server| tools.iter().map(move |tool| (server, tool)))
    };
    let names: Vec<String> = search("planet", pairs())
        .iter()
        .map(|hit| format!("{}.{}", hit.server, hit.tool.name))
        .collect();
    assert_eq!(names, ["y.a", "y.b", "y.c", "z.a", "z.b", "z.c"]);
}

#[test]
fn a_word_counts_more_in_the_name_than_in_a_note() {
    let in_note = named(
        "one",
        json!({ "properties": { "x": { "description": "the planet" } } }),
    );
    let in_parameter = named("two", json!({ "properties": { "planet": {} } }));
    let in_description = Tool {
        description: "About a planet.".to_owned(),
        ..without_parameters("three")
    };
    let in_name = without_parameters("planet_list");
    let tools = [in_note, in_parameter, in_description, in_name];
    let hits = search("planets", tools.iter().map(|tool| ("s", tool)));
    let names: Vec<&str> = hits.iter().map(|hit| hit.tool.name.as_str()).collect();
    assert_eq!(names[0], "planet_list");
    assert_eq!(names[3], "one");
    assert_eq!(names.len(), 4);
}

#[test]
fn queries_and_tools_of_any_size_are_bounded() {
    let begin = std::time::Instant::now();
    let long = "word ".repeat(200_000);
    let tools: Vec<Tool> = (0..2_000)
        .map(|number| Tool {
            description: long.clone(),
            ..named(
                &format!("tool_{number}"),
                json!({ "properties": { "p": { "description": "d".repeat(10_000) } } }),
            )
        })
        .collect();
    let hits = search(
        &"zebra words ".repeat(100_000),
        tools.iter().map(|tool| ("s", tool)),
    );
    assert_eq!(hits.len(), 2_000);
    assert!(
        begin.elapsed() < std::time::Duration::from_secs(60),
        "{:?}",
        begin.elapsed()
    );
}
