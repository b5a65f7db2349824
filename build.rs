//! Keeps relocations in the page's WebAssembly module. `cargo xtask build` needs them to split it in two.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        println!("cargo::rustc-link-arg-bin=page=--emit-relocs");
    }
}
