//! The pictures of the README, taken of the built page in the browser that the tests drive.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::page::{self, Effort};
use crate::{browser, shell, toolchain};

/// What the browser test of the same words leaves in `target/browser/`, and what becomes of it.
const PICTURES: [(&str, &str); 2] = [("readme-light.png", "docs/page.png"), ("readme-dark.png", "docs/page-dark.png")];

pub fn run(root: &Path) -> Result<()> {
    let compiler = shell::step("a compiler for the browser", toolchain::set_up)?;
    let dist = root.join("dist");
    shell::step("the page", || page::build(root, &compiler, &dist, Effort::Full))?;
    let pair = shell::step("a browser", browser::set_up)?;
    shell::step("pictures", || {
        let mut cargo = shell::cargo_in(root, "test");
        cargo.args(["--package", "camlscope", "--features", "web,browser-tests", "--test", "browser"]);
        cargo.arg("looks::the_pictures_of_the_readme").env("CAMLSCOPE_DIST", &dist);
        cargo.env("CAMLSCOPE_CHROMIUM", &pair.chromium).env("CAMLSCOPE_CHROMEDRIVER", &pair.driver);
        shell::run(&mut cargo)
    })?;
    for (taken, kept) in PICTURES {
        let taken = shell::target_dir(root).join("browser").join(taken);
        fs::copy(&taken, root.join(kept)).with_context(|| format!("copying {}", taken.display()))?;
        println!("{kept}");
    }
    Ok(())
}
