//! The errors of layouts.

/// The result of a layout.
pub type Result<T> = std::result::Result<T, LayoutError>;

/// The reason why there is no layout.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LayoutError {
    /// A coordinate is NaN or infinite.
    #[error("the position of node {node} is not finite")]
    NotFinite {
        /// The index of the node.
        node: usize,
    },
    /// The lists of positions and of pins have different lengths.
    #[error("{positions} positions, but {pinned} marks of pinned nodes")]
    LengthsDiffer {
        /// The length of the list of positions.
        positions: usize,
        /// The length of the list of pins.
        pinned: usize,
    },
    /// An edge names a node that does not exist.
    #[error("edge {edge} names node {node}, but there are {nodes} nodes")]
    NoSuchNode {
        /// The index of the edge.
        edge: usize,
        /// The index of the node that it names.
        node: u32,
        /// The number of nodes.
        nodes: usize,
    },
    /// An option is outside its range.
    #[error("{option} is {value}, but must be from {minimum} to {maximum}")]
    OptionOutOfRange {
        /// The name of the option.
        option: &'static str,
        /// Its value.
        value: f64,
        /// The least value.
        minimum: f64,
        /// The greatest value.
        maximum: f64,
    },
    /// The graph is too large for the layout.
    #[error("the graph has {size} {what}, but this layout supports at most {limit}")]
    TooLarge {
        /// The limited quantity, as a plural noun.
        what: &'static str,
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
}

/// Rejects a size over a limit.
pub(crate) fn at_most(what: &'static str, size: usize, limit: usize) -> Result<()> {
    if size > limit {
        return Err(LayoutError::TooLarge {
            what,
            size: size as u64,
            limit: limit as u64,
        });
    }
    Ok(())
}

/// Rejects an option outside its range, including NaN.
pub(crate) fn within(option: &'static str, value: f64, minimum: f64, maximum: f64) -> Result<()> {
    if value >= minimum && value <= maximum {
        return Ok(());
    }
    Err(LayoutError::OptionOutOfRange {
        option,
        value,
        minimum,
        maximum,
    })
}
