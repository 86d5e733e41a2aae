//! A value for each node (or each arc), by its number.
//!
//! Numbers come from a [`crate::Network`], which rejects edges whose ends do not exist. A number
//! out of range reads as the default and writes nothing, so that no index can panic.

/// One value for each number below its length.
#[derive(Debug, Clone, Default)]
pub(crate) struct PerNode<T>(Vec<T>);

impl<T: Copy + Default> PerNode<T> {
    /// Returns `count` values, all the same.
    pub fn new(count: u32, value: T) -> Self {
        Self(vec![value; count as usize])
    }

    /// Returns the given values, in order.
    pub fn from_values(values: Vec<T>) -> Self {
        Self(values)
    }

    #[inline(always)]
    pub fn get(&self, node: u32) -> T {
        self.0.get(node as usize).copied().unwrap_or_default()
    }

    #[inline(always)]
    pub fn set(&mut self, node: u32, value: T) {
        if let Some(slot) = self.0.get_mut(node as usize) {
            *slot = value;
        }
    }

    /// Changes a value by a function.
    #[inline(always)]
    pub fn update(&mut self, node: u32, change: impl FnOnce(&mut T)) {
        if let Some(slot) = self.0.get_mut(node as usize) {
            change(slot);
        }
    }

    /// Sets every value.
    pub fn fill(&mut self, value: T) {
        self.0.fill(value);
    }

    #[inline(always)]
    pub fn values(&self) -> &[T] {
        &self.0
    }

    /// Returns all values as a mutable slice.
    #[inline(always)]
    pub fn slots(&mut self) -> &mut [T] {
        &mut self.0
    }

    pub fn into_values(self) -> Vec<T> {
        self.0
    }
}
