//! Takes screenshots of the built page with the browser tests: those in the README, and every screen and view for review.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::browser::{self, Others};
use crate::page;
use crate::{shell, toolchain};

/// Screenshots in `target/browser/`, and where they are copied to.
const PICTURES: [(&str, &str); 2] = [("readme-light.png", "docs/page.png"), ("readme-dark.png", "docs/page-dark.png")];

pub fn run(root: &Path) -> Result<()> {
    let compiler = shell::step("a compiler for the browser", toolchain::set_up)?;
    let dist = root.join("dist");
    shell::step("the page", || page::build(root, &compiler, &dist, page::PROFILE))?;
    let pair = shell::step("a browser", browser::set_up)?;
    shell::step("pictures", || {
        shell::run(browser::tests(root, &dist, &pair, &Others::default())?.args(["--ignored", "pictures::"]))
    })?;
    for (taken, kept) in PICTURES {
        let taken = shell::target_dir(root).join("browser").join(taken);
        fs::copy(&taken, root.join(kept)).with_context(|| format!("copying {}", taken.display()))?;
        println!("{kept}");
    }
    println!("the others are in {}", shell::target_dir(root).join("browser").display());
    Ok(())
}
