//! Chooses the network that becomes part of the program: the file that the environment variable
//! `TEGENSPEL_EVALFILE` names (a test of networks), or the project's own where there is one.

use std::{env, path::Path};

/// The project's own network.
const OWN: &str = "src/chess/eval/nnue/network.tgn";

fn main() {
    println!("cargo::rustc-check-cfg=cfg(network)");
    println!("cargo::rerun-if-env-changed=TEGENSPEL_EVALFILE");
    println!("cargo::rerun-if-changed={OWN}");
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo tells it");
    let path = env::var("TEGENSPEL_EVALFILE")
        .map_or_else(|_| Path::new(&root).join(OWN), |path| Path::new(&path).to_owned());
    if path.is_file() {
        println!("cargo::rerun-if-changed={}", path.display());
        println!("cargo::rustc-env=TEGENSPEL_NETWORK={}", path.display());
        println!("cargo::rustc-cfg=network");
    } else {
        assert!(env::var("TEGENSPEL_EVALFILE").is_err(), "there is no file {}", path.display());
    }
}
