//! Layouts of the graph: the crate `graph-layout` computes positions, and those that changed are
//! written as one step. Pinned nodes keep their positions.

use crate::kinds::{Seed, Version};
use crate::run::Operation;
use crate::{telling, tools};
use ::operation::arguments::{Kind, Whole, meaning, plain};
use ::operation::declaration::{Argument, Effect, Tool};
use ::operation::shape::Shape;
use base::{Error, Result};
use database::Database;
use graph_layout::{
    CircularOptions, Direction, ForceOptions, GridOptions, HierarchyOptions, LayoutError,
    OptimizeOptions, Position as Place, Problem, circular, crossings, force, grid, hierarchy,
    optimize_positions,
};
use serde_json::value::RawValue;
use serde_json::{Value as Json, json};

use crate::limits::{MAX_COORDINATE, MAX_LAYOUT_ITERATIONS, MAX_LISTED_POSITIONS};
use crate::network::{NetworkRows, load_network, move_nodes};
use crate::reply::Fields;
use crate::{Graph, GraphError, Reply};

const DIRECTIONS: &[(&str, Direction)] = &[
    ("TB", Direction::TopToBottom),
    ("BT", Direction::BottomToTop),
    ("LR", Direction::LeftToRight),
    ("RL", Direction::RightToLeft),
];

/// The direction of layers.
#[derive(Debug)]
pub(crate) struct Layers;

impl Kind<'_> for Layers {
    type Value = Direction;
    const SHAPE: Shape = Shape::Word(|| DIRECTIONS.iter().map(|(name, _)| *name).collect());

    fn read(field: &str, raw: &RawValue) -> Result<Direction> {
        let name: String = plain(field, raw, "a text")?;
        meaning(field, &name, DIRECTIONS)
    }

    fn show(direction: &Direction) -> Json {
        let found = DIRECTIONS.iter().find(|(_, known)| known == direction);
        found.map_or(Json::Null, |(name, _)| (*name).into())
    }
}

::operation::operation! {
    /// Moves nodes so that connected ones are near each other.
    pub(crate) struct ApplyForceLayout {
        /// Rounds; more are slower and calmer.
        "iterations" => iterations: Option<Whole<1, { MAX_LAYOUT_ITERATIONS as usize }, u32>>,
        /// Random seed.
        "seed" => seed: Seed = 0,
        /// True to only return the positions.
        "preview" => preview: bool = false,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "applyForceLayout",
    title: "Lay out by forces",
    effect: Effect::WRITES.once(),
    output: "LayoutAnswer",
    errors: ["TOO_LARGE"],
    tool: Tool::new("Moves connected nodes together.", &[Argument::new("iterations"), Argument::new("seed")], tools::ITEM, telling::moved).shown(),
}

impl Operation<'_> for ApplyForceLayout {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let options = ForceOptions {
            seed: self.seed,
            iterations: self.iterations,
            ..ForceOptions::default()
        };
        place(
            graph,
            self.preview,
            self.if_version,
            "Applied force layout",
            |problem| force(problem, &options),
        )
    }
}

::operation::operation! {
    /// Moves nodes into layers along the direction of the edges.
    pub(crate) struct ApplyHierarchicalLayout {
        /// The direction of the layers.
        "direction" => direction: Layers = Direction::TopToBottom,
        /// True to only return the positions.
        "preview" => preview: bool = false,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "applyHierarchicalLayout",
    title: "Lay out in layers",
    effect: Effect::WRITES.once(),
    output: "LayoutAnswer",
    tool: Tool::new("Moves nodes into layers along the edges.", &[Argument::new("direction")], tools::ITEM, telling::moved).shown(),
}

impl Operation<'_> for ApplyHierarchicalLayout {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let options = HierarchyOptions {
            direction: self.direction,
            ..HierarchyOptions::default()
        };
        place(
            graph,
            self.preview,
            self.if_version,
            "Applied hierarchical layout",
            |problem| hierarchy(problem, &options).map(|found| found.positions),
        )
    }
}

::operation::operation! {
    /// Moves nodes onto a circle.
    pub(crate) struct ApplyCircularLayout {
        /// True to only return the positions.
        "preview" => preview: bool = false,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "applyCircularLayout",
    title: "Lay out on a circle",
    effect: Effect::WRITES.once(),
    output: "LayoutAnswer",
}

impl Operation<'_> for ApplyCircularLayout {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        place(
            graph,
            self.preview,
            self.if_version,
            "Applied circular layout",
            |problem| circular(problem, &CircularOptions::default()),
        )
    }
}

::operation::operation! {
    /// Moves nodes onto a grid.
    pub(crate) struct ApplyGridLayout {
        /// True to only return the positions.
        "preview" => preview: bool = false,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "applyGridLayout",
    title: "Lay out on a grid",
    effect: Effect::WRITES.once(),
    output: "LayoutAnswer",
}

impl Operation<'_> for ApplyGridLayout {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        place(
            graph,
            self.preview,
            self.if_version,
            "Applied grid layout",
            |problem| grid(problem, &GridOptions::default()),
        )
    }
}

::operation::operation! {
    /// Moves nodes so that fewer edges cross. The number of crossings never grows.
    pub(crate) struct OptimizePositions {
        /// Random seed.
        "seed" => seed: Seed = 0,
        /// True to only return the positions.
        "preview" => preview: bool = false,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "optimizePositions",
    title: "Reduce edge crossings",
    effect: Effect::WRITES.once(),
    output: "LayoutAnswer",
    tool: Tool::new("Moves nodes so that fewer edges cross.", &[Argument::new("seed")], tools::ITEM, telling::moved).shown(),
}

impl Operation<'_> for OptimizePositions {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let options = OptimizeOptions { seed: self.seed };
        place(
            graph,
            self.preview,
            self.if_version,
            "Optimized positions",
            |problem| optimize_positions(problem, &options).map(|found| found.positions),
        )
    }
}

/// Computes positions and, unless it is a preview, moves the nodes there.
fn place<D: Database>(
    graph: &Graph<'_, D>,
    is_preview: bool,
    if_version: Option<u64>,
    words: &str,
    layout: impl Fn(&Problem) -> graph_layout::Result<Vec<Place>>,
) -> Result<Reply> {
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
    // Crossings are not reported for a graph that is too large to count them.
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

/// Lists the first positions: those of 50,000 nodes would take ten times the text.
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

/// Clamps a coordinate to the range that nodes may have.
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
        other @ (LayoutError::NotFinite { .. }
        | LayoutError::LengthsDiffer { .. }
        | LayoutError::NoSuchNode { .. }
        | LayoutError::OptionOutOfRange { .. }) => Error::invalid(other.to_string()),
    }
}
