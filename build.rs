//! Keeps in the page's program what `cargo xtask build` needs to cut it into two modules.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        println!("cargo::rustc-link-arg-bin=page=--emit-relocs");
    }
}
