//! Builds the page, serves it on this machine, and rebuilds it when a source file changes.

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
    /// Rebuild when a source file changes
    #[arg(long)]
    watch: bool,
}

pub fn run(root: &Path, options: &Options) -> Result<()> {
    // Reports a port that is in use before the build, not after it. The server binds the port again when it starts.
    drop(server::listen(options.port)?);
    let compiler = shell::step("looking for a compiler for the browser", toolchain::set_up)?;
    let dist = root.join("dist");
    // Watching starts before the build, so that it doesn't miss an edit during the build.
    let watch = if options.watch { Some(watch(root)?) } else { None };
    let profile = if options.watch { page::QUICK_PROFILE } else { page::PROFILE };
    page::build(root, &compiler, &dist, profile)?;
    let server = server::start(server::listen(options.port)?, &dist)?;
    let url = format!("http://localhost:{}", server.address().port());
    if options.open && open::that_detached(&url).is_err() {
        println!("Can't open a browser.");
    }
    let Some((_watcher, changes)) = watch else {
        println!("Press Ctrl+C to stop. The page is at {url}");
        loop {
            thread::park();
        }
    };
    println!("Watching the sources. Press Ctrl+C to stop. The page is at {url}");
    while let Some(path) = next_change(&changes) {
        println!("{} has changed", path.strip_prefix(root).unwrap_or(&path).display());
        match page::build(root, &compiler, &dist, profile) {
            Ok(()) => println!("Reload {url}"),
            Err(error) => println!("The build failed, so {url} still shows the previous build: {error:#}"),
        }
    }
    Ok(())
}

/// Watches the sources. For files in the root, it watches the root itself without its folders. A watch on a file would end when
/// an editor saves by renaming.
fn watch(root: &Path) -> Result<(RecommendedWatcher, Receiver<PathBuf>)> {
    let (sender, receiver) = mpsc::channel();
    let root_of_watch = root.to_owned();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        let changed = event.ok().filter(|event| is_change(event.kind)).map(|event| event.paths).unwrap_or_default();
        for path in changed.into_iter().filter(|path| is_source(&root_of_watch, path)) {
            // This fails only when the program is exiting.
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

/// Waits for a change, and then until there are no changes for 200 ms, because saving a file causes several events.
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
