//! Installs Debian's and Ubuntu's packages that a fresh machine lacks. It prints their names first.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;

/// Returns whether this system has apt.
pub fn available() -> bool {
    shell::find("apt-get").is_some()
}

/// Prints the purpose and installs the packages, as root or with sudo.
pub fn install(packages: &[&str], purpose: &str) -> Result<()> {
    println!("  installing {} with apt: {purpose}", packages.join(", "));
    if packages.iter().any(|package| candidate(package).is_none()) {
        update()?;
    }
    if run_install(packages).is_err() {
        println!("  that failed; trying again with updated package lists");
        update()?;
        run_install(packages).with_context(|| format!("installing {} failed", packages.join(", ")))?;
    }
    Ok(())
}

/// Returns the version that apt would install, as `(major, minor)`. Updates the package lists if they don't have the package.
pub fn version_to_install(package: &str) -> Result<Option<(u32, u32)>> {
    if candidate(package).is_none() {
        update()?;
    }
    Ok(candidate(package).as_deref().and_then(major_minor))
}

/// Returns `(1, 96)` for `1.96.0+dfsg1-1`, with or without an epoch.
pub fn major_minor(version: &str) -> Option<(u32, u32)> {
    let upstream = version.split_once(':').map_or(version, |(_epoch, rest)| rest);
    let mut numbers = upstream.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn run_install(packages: &[&str]) -> Result<()> {
    let mut command = apt_get()?;
    // Waits if another program holds apt's lock, which is common right after startup.
    command.args(["-o", "DPkg::Lock::Timeout=120", "install", "-y", "--no-install-recommends", "-qq"]);
    shell::run(command.args(packages))
}

fn update() -> Result<()> {
    println!("  updating apt's package lists");
    shell::run(apt_get()?.args(["update", "-qq"]))
}

fn apt_get() -> Result<Command> {
    let root = shell::answer(Command::new("id").arg("-u")).as_deref() == Some("0");
    if root {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive");
        return Ok(command);
    }
    if shell::find("sudo").is_none() {
        bail!("installing packages needs root: run this as root, or install sudo");
    }
    let mut command = Command::new("sudo");
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    Ok(command)
}

fn candidate(package: &str) -> Option<String> {
    let policy = shell::answer(Command::new("apt-cache").args(["policy", package]).env("LC_ALL", "C"))?;
    candidate_of(&policy).map(str::to_owned)
}

fn candidate_of(policy: &str) -> Option<&str> {
    let version = policy.lines().find_map(|line| line.trim().strip_prefix("Candidate: "))?;
    (version != "(none)").then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidate_version_is_read_from_apt_policy() {
        let known = "rustc-web:\n  Installed: (none)\n  Candidate: 1.96.0+dfsg1-1~deb12u2\n  Version table:\n";
        assert_eq!(candidate_of(known), Some("1.96.0+dfsg1-1~deb12u2"));
        assert_eq!(candidate_of("gone:\n  Installed: (none)\n  Candidate: (none)\n"), None);
        assert_eq!(candidate_of(""), None);
    }

    #[test]
    fn major_and_minor_version_are_read() {
        assert_eq!(major_minor("1.96.0+dfsg1-1~deb12u2"), Some((1, 96)));
        assert_eq!(major_minor("1:14.0-55.7~deb12u1"), Some((14, 0)));
        assert_eq!(major_minor("unknown"), None);
    }
}
