//! The page on this machine, for whoever tries it or works on it: build, serve, and build again when a source changes.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use notify::event::ModifyKind;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::assets::PAGE;
use crate::page;
use crate::{server, shell, toolchain};

#[derive(Debug, Args)]
pub struct Options {
    /// Port to listen on
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
    /// Build again whenever a source changes
    #[arg(long)]
    watch: bool,
}

pub fn run(root: &Path, options: &Options) -> Result<()> {
    // A taken port is better told now than after the build. It is bound in earnest when there is something to serve.
    drop(server::listen(options.port)?);
    let compiler = shell::step("looking for a compiler for the browser", toolchain::set_up)?;
    let dist = root.join("dist");
    // Watching starts before the build, so that an edit made meanwhile is not missed.
    let watch = if options.watch { Some(watch(root)?) } else { None };
    let profile = if options.watch { page::QUICK_PROFILE } else { page::PROFILE };
    page::build(root, &compiler, &dist, profile)?;
    let server = server::start(server::listen(options.port)?, &dist)?;
    let url = format!("http://localhost:{}", server.address().port());
    if options.open && open::that_detached(&url).is_err() {
        println!("No browser could be opened.");
    }
    let Some((_watcher, changes)) = watch else {
        println!("Stop with Ctrl+C. The page is at {url}");
        loop {
            thread::park();
        }
    };
    println!("Sources are watched. Stop with Ctrl+C. The page is at {url}");
    while let Some(path) = next_change(&changes) {
        println!("{} has changed", path.strip_prefix(root).unwrap_or(&path).display());
        match page::build(root, &compiler, &dist, profile) {
            Ok(()) => println!("Reload {url}"),
            Err(error) => println!("The build failed, and {url} stays as it was: {error:#}"),
        }
    }
    Ok(())
}

/// Watches the sources. The root itself is watched for its files alone: an editor that saves by renaming would take a
/// watch on the file with it.
fn watch(root: &Path) -> Result<(RecommendedWatcher, Receiver<PathBuf>)> {
    let (sender, receiver) = mpsc::channel();
    let root_of_watch = root.to_owned();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        let changed = event.ok().filter(|event| is_change(event.kind)).map(|event| event.paths).unwrap_or_default();
        for path in changed.into_iter().filter(|path| is_source(&root_of_watch, path)) {
            // The receiver is gone only when the program ends.
            let _ = sender.send(path);
        }
    })?;
    watcher.watch(root, RecursiveMode::NonRecursive)?;
    for dir in SOURCE_DIRS {
        watcher.watch(&root.join(dir), RecursiveMode::Recursive).with_context(|| format!("watching {dir}/"))?;
    }
    Ok((watcher, receiver))
}

const SOURCE_DIRS: [&str; 3] = ["crates", "src", "www"];
const SOURCE_FILES: [&str; 3] = [PAGE, "Cargo.toml", "Cargo.lock"];

fn is_source(root: &Path, path: &Path) -> bool {
    let Ok(path) = path.strip_prefix(root) else {
        return false;
    };
    SOURCE_DIRS.iter().any(|dir| path.starts_with(dir)) || SOURCE_FILES.iter().any(|file| path == Path::new(file))
}

fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Create(_) | EventKind::Remove(_) => true,
        EventKind::Modify(what) => !matches!(what, ModifyKind::Metadata(_)),
        _ => false,
    }
}

/// Waits for a change and then for a moment of quiet, as saving one file is several events and saving all is many.
fn next_change(changes: &Receiver<PathBuf>) -> Option<PathBuf> {
    let first = changes.recv().ok()?;
    while changes.recv_timeout(Duration::from_millis(200)).is_ok() {}
    Some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sources_are_watched() {
        let root = Path::new("/r");
        for path in ["src/lib.rs", "crates/engine/src/lib.rs", "www/style.css", "index.html", "Cargo.lock"] {
            assert!(is_source(root, &root.join(path)), "{path}");
        }
        for path in ["dist/index.html", ".dist.new", "target/x", "README.md"] {
            assert!(!is_source(root, &root.join(path)), "{path}");
        }
    }
}
