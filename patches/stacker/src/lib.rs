//! The interface of the crate `stacker`, on the stack that there is.

/// Calls the function on the present stack.
pub fn maybe_grow<T>(_red_zone: usize, _stack_size: usize, call: impl FnOnce() -> T) -> T {
    call()
}

/// Returns the bytes that the stack has left, which is not known here: as in WebAssembly, where the parser generator pest, which asks for it, sets
/// no guard then. The product hands no text to a parser of pest.
pub fn remaining_stack() -> Option<usize> {
    None
}
