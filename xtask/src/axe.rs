//! axe-core, which checks the built page for accessibility problems. It's downloaded for the tests and is never part of the page.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};

use crate::{packages, shell};

const PACKAGE: &str = "axe-core@4.11.0";
/// The only file of the package that the tests use, and its hash.
const SCRIPT: &str = "package/axe.min.js";
const SCRIPT_SHA256: &str = "e9e5863c33a874f09bc01acd9234b7e3c871479f5eef8802fa582544465e6d01";

/// Returns the package of npm, which downloads the script, unless npm is installed.
pub fn missing_packages() -> Vec<&'static str> {
    if shell::find("npm").is_none() { vec!["npm"] } else { Vec::new() }
}

/// Returns the path of the script. Downloads it with npm unless an earlier run did.
pub fn set_up(root: &Path) -> Result<PathBuf> {
    let folder = shell::target_dir(root).join("axe");
    let script = folder.join("axe.min.js");
    if fs::read(&script).is_ok_and(|bytes| is_genuine(&bytes)) {
        println!("  {PACKAGE} is installed");
        return Ok(script);
    }
    if shell::find("npm").is_none() && packages::available() {
        packages::install(&["npm"], "it downloads axe-core, which checks the page's accessibility")?;
    }
    let Some(npm) = shell::find("npm") else {
        bail!("the accessibility tests need axe-core: install npm to download it");
    };
    fs::create_dir_all(&folder)?;
    shell::run(Command::new(npm).args(["pack", PACKAGE, "--silent", "--pack-destination"]).arg(&folder))?;
    let archive = folder.join(format!("{}.tgz", PACKAGE.replace('@', "-")));
    let bytes = extract(&archive).with_context(|| format!("extracting {}", archive.display()))?;
    if !is_genuine(&bytes) {
        bail!("{PACKAGE} doesn't have the expected checksum");
    }
    fs::write(&script, bytes)?;
    Ok(script)
}

fn extract(archive: &Path) -> Result<Vec<u8>> {
    let mut archive = tar::Archive::new(GzDecoder::new(fs::File::open(archive)?));
    for entry in archive.entries()? {
        let mut entry = entry?;
        if entry.path()? == Path::new(SCRIPT) {
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut entry, &mut bytes)?;
            return Ok(bytes);
        }
    }
    bail!("it doesn't contain {SCRIPT}")
}

fn is_genuine(bytes: &[u8]) -> bool {
    let sum = Sha256::digest(bytes);
    sum.iter().map(|byte| format!("{byte:02x}")).collect::<String>() == SCRIPT_SHA256
}
