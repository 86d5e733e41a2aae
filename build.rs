//! Gives the WebAssembly module the stack that the parsers need.

/// The stack, in bytes. The parsers recurse; workerd's default of 1 MiB overflows below the nesting
/// that the gate admits.
const WASM_STACK_BYTES: u32 = 4 * 1024 * 1024;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|architecture| architecture == "wasm32") {
        println!("cargo::rustc-link-arg-cdylib=-zstack-size={WASM_STACK_BYTES}");
    }
}
