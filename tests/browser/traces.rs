//! The traces that the tests open, with the counts from memtrace's own reader.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow, ensure};
use camlscope_engine::protocol::{Answer, Error, Request, Slot};
use camlscope_engine::session::Session;

use crate::engine::named;
use crate::page::Page;

#[derive(Debug)]
pub struct Fixture {
    pub file: &'static str,
    pub version: u64,
    pub pid: u64,
    pub allocs: u64,
    pub promotes: u64,
    pub collects: u64,
    pub domains: &'static str,
}

pub const TINY: Fixture =
    Fixture { file: "tiny-0.1-v2.ctf", version: 2, pid: 11_748, allocs: 41, promotes: 22, collects: 41, domains: "0" };

pub const TYPECORE: Fixture = Fixture {
    file: "typecore-1e-4-v2.ctf",
    version: 2,
    pid: 8_209,
    allocs: 7_760,
    promotes: 1_173,
    collects: 7_220,
    domains: "0",
};

pub const DOMAINS: Fixture = Fixture {
    file: "domains-multi-1e-3-o5-v3.ctf",
    version: 3,
    pid: 22_218,
    allocs: 11_724,
    promotes: 315,
    collects: 11_427,
    domains: "0,1,2,3,4,5,6",
};

/// The trace that “Try the sample” opens.
pub const SAMPLE: Fixture = Fixture {
    file: "sample.ctf",
    version: 2,
    pid: 12_640,
    allocs: 13_861,
    promotes: 1_007,
    collects: 13_589,
    domains: "0",
};

/// Opens the sample from the start screen.
pub fn open_sample(page: &Page) -> Result<()> {
    page.press("Try the sample")
}

/// Opens the explanation of a view.
pub fn explain(page: &Page) -> Result<()> {
    page.click("//button[.='What am I looking at?']")
}

impl Fixture {
    pub fn path(&self) -> PathBuf {
        camlscope_testkit::fixtures::folder().join(self.file)
    }

    pub fn bytes(&self) -> Result<Vec<u8>> {
        let path = self.path();
        fs::read(&path).with_context(|| format!("reading {}", path.display()))
    }

    pub fn events(&self) -> u64 {
        self.allocs + self.promotes + self.collects
    }

    /// Waits until the page shows this trace, and checks its counts.
    pub fn is_shown(&self, page: &Page) -> Result<()> {
        let pid = self.pid.to_string();
        let pid_is_shown = || Ok(page.attribute("[data-figure='info.pid']", "data-value")?.as_ref() == Some(&pid));
        page.wait_for(&format!("the figures of {}", self.file), pid_is_shown)?;
        page.wait_for_screen("loaded")?;
        let counts = [
            ("version", self.version),
            ("events.alloc", self.allocs),
            ("events.promote", self.promotes),
            ("events.collect", self.collects),
        ];
        for (figure, expected) in counts {
            let shown = page.count(figure)?;
            ensure!(shown == expected, "{figure} of {} is {expected}, but the page shows {shown}", self.file);
        }
        let domains = page.figure("domains")?;
        ensure!(
            domains == self.domains,
            "the domains of {} are {}, but the page shows {domains}",
            self.file,
            self.domains
        );
        Ok(())
    }
}

/// Returns the native engine's response for [`SAMPLE`].
pub fn answer(request: &Request) -> Result<Answer> {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("www").join(SAMPLE.file);
    let mut session = Session::new();
    session.begin(Slot::Main, None);
    let failed = |error: Error| anyhow!("{error:?}");
    session.push(&fs::read(sample)?).map_err(failed)?;
    session.finish().map_err(failed)?;
    session.handle(request).map_err(failed)
}

/// Returns the byte range of each packet of a trace.
pub fn packets(trace: &[u8]) -> Result<Vec<Range<usize>>> {
    let mut packets = Vec::new();
    let mut start = 0;
    while start < trace.len() {
        let bits = trace.get(start + 4..start + 8).context("a packet without a size")?;
        let bytes = u32::from_le_bytes(bits.try_into()?) as usize / 8;
        ensure!(bytes > 8 && start + bytes <= trace.len(), "a packet of {bytes} bytes at {start}");
        packets.push(start..start + bytes);
        start += bytes;
    }
    Ok(packets)
}

/// Returns a command that runs this build's command line.
pub fn command_line() -> Result<Command> {
    Ok(Command::new(named("CAMLSCOPE_COMMAND")?))
}
