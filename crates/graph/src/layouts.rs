//! Layouts of the graph: `graph_layout` computes positions, and those that differ are written as one step. What a person pinned stays.

use base::{Error, Result};
use database::Database;
use graph_layout::{
    CircularOptions, Direction, ForceOptions, GridOptions, HierarchyOptions, LayoutError,
    OptimizeOptions, Position as Place, Problem, circular, crossings, force, grid, hierarchy,
    optimize_positions,
};
use serde_json::json;

use crate::arguments::Arguments;
use crate::limits::{MAX_COORDINATE, MAX_LAYOUT_ITERATIONS, MAX_LISTED_POSITIONS, MAX_SEED};
use crate::network::{NetworkRows, load_network, move_nodes};
use crate::reply::Fields;
use crate::{Graph, GraphError, Reply};

const DIRECTIONS: &[(&str, Direction)] = &[
    ("TB", Direction::TopToBottom),
    ("BT", Direction::BottomToTop),
    ("LR", Direction::LeftToRight),
    ("RL", Direction::RightToLeft),
];

/// applyForceLayout.
pub(crate) fn by_force<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let fields = ["iterations", "seed", "preview", "ifVersion"];
    let arguments = Arguments::parse(arguments, &fields)?;
    let iterations = match arguments.number("iterations", 0..=MAX_LAYOUT_ITERATIONS, 0)? {
        0 => None,
        number => Some(number),
    };
    let options = ForceOptions {
        seed: seed(&arguments, ForceOptions::default().seed)?,
        iterations,
        ..ForceOptions::default()
    };
    place(graph, &arguments, "Applied force layout", |problem| {
        force(problem, &options)
    })
}

/// applyHierarchicalLayout.
pub(crate) fn by_hierarchy<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let arguments = Arguments::parse(arguments, &["direction", "preview", "ifVersion"])?;
    let options = HierarchyOptions {
        direction: arguments.word("direction", DIRECTIONS, Direction::TopToBottom)?,
        ..HierarchyOptions::default()
    };
    place(
        graph,
        &arguments,
        "Applied hierarchical layout",
        |problem| hierarchy(problem, &options).map(|found| found.positions),
    )
}

/// applyCircularLayout.
pub(crate) fn on_circle<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let arguments = Arguments::parse(arguments, &["preview", "ifVersion"])?;
    place(graph, &arguments, "Applied circular layout", |problem| {
        circular(problem, &CircularOptions::default())
    })
}

/// applyGridLayout.
pub(crate) fn on_grid<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let arguments = Arguments::parse(arguments, &["preview", "ifVersion"])?;
    place(graph, &arguments, "Applied grid layout", |problem| {
        grid(problem, &GridOptions::default())
    })
}

/// optimizePositions.
pub(crate) fn optimize<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let arguments = Arguments::parse(arguments, &["seed", "preview", "ifVersion"])?;
    let options = OptimizeOptions {
        seed: seed(&arguments, OptimizeOptions::default().seed)?,
    };
    place(graph, &arguments, "Optimized positions", |problem| {
        optimize_positions(problem, &options).map(|found| found.positions)
    })
}

fn seed(arguments: &Arguments<'_>, default: u64) -> Result<u64> {
    arguments.number("seed", 0..=MAX_SEED, default)
}

/// Computes positions and, unless it is a preview, moves the nodes there.
fn place<D: Database>(
    graph: &Graph<'_, D>,
    arguments: &Arguments<'_>,
    words: &str,
    layout: impl Fn(&Problem) -> graph_layout::Result<Vec<Place>>,
) -> Result<Reply> {
    let is_preview = arguments.flag("preview")?;
    let if_version = arguments.if_version()?;
    let loaded = load_network(graph.db, None)?;
    let problem = problem(&loaded)?;
    let places = layout(&problem).map_err(refused)?;
    let moves: Vec<(u64, f64, f64)> = loaded
        .seqs
        .iter()
        .zip(problem.positions().iter().zip(&places))
        .filter(|(_, (before, after))| before != after)
        .map(|(seq, (_, after))| (*seq, limited(after.x), limited(after.y)))
        .collect();
    // Of a graph too large for the count of crossings, nothing is said of them.
    let before = crossings(problem.positions(), problem.edges()).ok();
    let after = crossings(&places, problem.edges()).ok();
    if is_preview {
        let data = Fields::default()
            .value("moved", &moves.len())
            .value("preview", &true)
            .value("crossingsBefore", &before)
            .value("crossingsAfter", &after)
            .raw("positions", &listed_positions(&loaded, &places));
        let head = crate::Head::load(graph.db)?;
        let fields = Fields::default().raw("data", &data.finish());
        return Ok(Reply::read(fields.of_graph(&head)));
    }
    let data = json!({
        "moved": moves.len(),
        "preview": false,
        "crossingsBefore": before,
        "crossingsAfter": after,
    });
    move_nodes(graph, &moves, if_version, words, &data)
}

/// A value for each of 50,000 nodes would take ten times the text.
fn listed_positions(loaded: &NetworkRows, places: &[Place]) -> String {
    let mut list = String::from("[");
    let listed = places.iter().zip(&loaded.ids).take(MAX_LISTED_POSITIONS);
    for (place, id) in listed {
        if list.len() > 1 {
            list.push(',');
        }
        let (x, y) = (limited(place.x), limited(place.y));
        list.push_str(&json!({ "id": id, "x": x, "y": y }).to_string());
    }
    list.push(']');
    list
}

fn problem(loaded: &NetworkRows) -> Result<Problem> {
    let positions = loaded
        .positions
        .iter()
        .map(|position| Place::new(position.x, position.y));
    let edges = loaded
        .edges
        .iter()
        .map(|(source, target, _)| (*source, *target));
    Problem::new(positions.collect(), loaded.pinned.clone(), edges.collect()).map_err(refused)
}

/// Nodes stay where nodes may be.
fn limited(coordinate: f64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "the limit is far below 2^53")]
    let farthest = MAX_COORDINATE as f64;
    coordinate.clamp(-farthest, farthest)
}

fn refused(error: LayoutError) -> Error {
    match error {
        LayoutError::TooLarge { what, size, limit } => {
            GraphError::TooLarge { what, size, limit }.into()
        }
        other => Error::invalid(other.to_string()),
    }
}
