//! Why a problem or its options are rejected.

/// The result of a layout.
pub type Result<T> = std::result::Result<T, LayoutError>;

/// Why there is no layout.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LayoutError {
    /// A coordinate is NaN or infinite.
    #[error("the position of node {node} is not finite")]
    NotFinite {
        /// Index of the node.
        node: usize,
    },
    /// The two lists do not belong together.
    #[error("{positions} positions, but {pinned} marks of pinned nodes")]
    LengthsDiffer {
        /// Length of the list of positions.
        positions: usize,
        /// Length of the list of marks.
        pinned: usize,
    },
    /// An edge names a node that does not exist.
    #[error("edge {edge} names node {node}, but there are {nodes} nodes")]
    NoSuchNode {
        /// Index of the edge.
        edge: usize,
        /// Index of the node that it names.
        node: u32,
        /// Nodes that exist.
        nodes: usize,
    },
    /// An option is outside its range.
    #[error("{option} is {value}, but must be from {minimum} to {maximum}")]
    OptionOutOfRange {
        /// Name of the option.
        option: &'static str,
        /// Its value.
        value: f64,
        /// The least value.
        minimum: f64,
        /// The greatest value.
        maximum: f64,
    },
    /// The layout does not serve a graph of this size.
    #[error("{size} {what}, but this layout serves at most {limit}")]
    TooLarge {
        /// What there is too much of, as a plural noun.
        what: &'static str,
        /// How much there is.
        size: u64,
        /// How much fits.
        limit: u64,
    },
}

/// Rejects more than fits.
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

/// Rejects an option outside its range, NaN included.
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
