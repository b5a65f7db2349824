//! `camlscope open`: the page in the browser, with a trace loaded.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::context::{Context, Failure};
use super::{help, page_file};
use crate::follow::unreadable;
use crate::serving::{Contents, Ended, Served, browser};
use camlscope_engine::protocol::Slot;
use camlscope_engine::session::Session;
use camlscope_engine::trace::Budget;
use camlscope_present::words::errors::UserError;

/// Open a trace in the browser.
///
/// Serves the page and the trace only to your user on this computer, at a random address that contains a secret. Stops
/// when the tab is closed, or on Ctrl+C.
#[derive(Debug, clap::Args)]
#[command(after_long_help = help::OPEN)]
pub struct Args {
    /// The trace or profile.
    file: PathBuf,
    /// A second trace or profile to compare with.
    #[arg(conflicts_with = "follow")]
    other: Option<PathBuf>,
    /// Follow the trace while the program writes it. Waits for a file that doesn't exist yet.
    #[arg(long)]
    follow: bool,
    #[command(flatten)]
    page: PageArgs,
}

#[derive(Debug, clap::Args)]
pub struct PageArgs {
    /// Print the address of the page, but don't open a browser.
    #[arg(long)]
    no_browser: bool,
    /// The `camlscope.html` to use [default: the one built into this program, or next to it].
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
}

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let files: Vec<&Path> =
        [Some(&args.file), args.other.as_ref()].into_iter().flatten().map(PathBuf::as_path).collect();
    if files.iter().any(|file| file.as_os_str() == "-") {
        return Err(Failure::Usage("open can't read standard input. Save it to a file first.".to_owned()));
    }
    let page = args.page.find()?;
    if args.follow {
        wait_for(context, &args.file)?;
    }
    for file in &files {
        check(file).map_err(|error| Failure::input(file, error))?;
    }
    let served = args.page.serve(Contents { page: &page, traces: &files, follows: args.follow })?;
    let presence = Arc::clone(served.presence());
    let handler = move || presence.interrupt();
    ctrlc::set_handler(handler).map_err(|error| Failure::Usage(format!("Can't handle Ctrl+C: {error}.")))?;
    if context.json {
        context.print_json(&json!({ "address": served.address() }))?;
    } else {
        context.print(&format!("{}\n", served.address()))?;
    }
    args.page.announce(context, &served);
    if served.presence().wait() == Ended::Closed {
        context.note("The tab was closed.");
    }
    Ok(())
}

impl PageArgs {
    pub fn find(&self) -> Result<Cow<'static, str>, Failure> {
        page_file::find(self.page.as_deref(), "camlscope view works without it.")
    }

    pub fn serve(&self, contents: Contents<'_>) -> Result<Served, Failure> {
        let path = || self.page.clone().unwrap_or_else(|| PathBuf::from("camlscope.html"));
        let served =
            Served::start(contents).map_err(|error| Failure::Usage(format!("Can't serve the page: {error}.")))?;
        served.ok_or_else(|| page_file::invalid(&path()))
    }

    /// Opens the browser, or says how to open the address.
    pub fn announce(&self, context: &Context, served: &Served) {
        const STOPS: &str = "Close the tab or press Ctrl+C to stop.";
        if !self.no_browser && browser::open(served.link()) {
            return context.note(&format!("Opened in the browser. {STOPS}"));
        }
        context.note(&format!("Open this address in a browser on this computer. {STOPS}"));
        if !self.no_browser {
            let port = served.port();
            context.note(&format!("From another computer, connect with ssh -L {port}:127.0.0.1:{port} first."));
        }
    }
}

/// Enough to recognize a trace. The page reads the rest.
const HEAD_BYTES: u64 = 1 << 20;

/// Refuses files that aren't traces, before a browser opens.
fn check(path: &Path) -> Result<(), UserError> {
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    let metadata = file.metadata().map_err(|error| unreadable(&error))?;
    if metadata.is_dir() {
        return Err(UserError::directory());
    }
    if !metadata.is_file() {
        return Err(UserError::unreadable("it isn't a regular file"));
    }
    let mut session = read_head(file).map_err(|error| unreadable(&error))??;
    if metadata.len() <= HEAD_BYTES {
        session.finish()?;
    }
    Ok(())
}

type Head = Result<Session, camlscope_engine::protocol::Error>;

fn read_head(file: File) -> io::Result<Head> {
    let mut head = Vec::new();
    file.take(HEAD_BYTES).read_to_end(&mut head)?;
    let mut session = Session::with_budget(Budget::default());
    session.begin(Slot::Main, None);
    Ok(session.push(&head).map(|()| session))
}

/// How often to check for a file that doesn't exist yet.
const WAIT: Duration = Duration::from_millis(200);

/// Waits until a program has written enough of its trace to open it.
fn wait_for(context: &Context, path: &Path) -> Result<(), Failure> {
    let mut is_waiting = false;
    loop {
        match File::open(path).and_then(read_head) {
            Ok(Ok(session)) if session.can_pause() => return Ok(()),
            Ok(Ok(session)) => {
                if let Some(error) = session.why_not_followed() {
                    return Err(Failure::input(path, error.into()));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // `check` says what is wrong.
            Ok(Err(_)) | Err(_) => return Ok(()),
        }
        if !is_waiting {
            is_waiting = true;
            context.note(&format!("Waiting for {}.", path.display()));
        }
        thread::sleep(WAIT);
    }
}
