//! Incomplete traces open, and the page reports what is missing.

use std::fs::File;
use std::io::BufWriter;

use anyhow::{Context, Result, ensure};
use camlscope_testkit::synth::{Extent, Options, Shape, generate};

use crate::flame::wait_for_picture;
use crate::looks::fits_every_window;
use crate::traces::{TYPECORE, packets};
use crate::visit::visit;

#[test]
pub fn trace_truncated_in_its_last_packet_opens_with_a_warning() -> Result<()> {
    visit(|page| {
        page.open()?;
        let mut bytes = TYPECORE.bytes()?;
        let last = packets(&bytes)?.pop().context("the trace has packets")?;
        bytes.truncate(last.start + last.len() / 2);
        page.drop_bytes("killed.ctf", &bytes)?;
        page.wait_for_screen("loaded")?;

        page.says("truncated")?;
        let warning = page.attribute("[data-warning]", "data-warning")?;
        ensure!(warning.as_deref() == Some("truncated"), "the warning is {warning:?}");
        let (read, written) = (page.count("events")?, TYPECORE.events());
        ensure!(0 < read && read < written, "read {read} of {written} events");

        fits_every_window(page)
    })
}

#[test]
pub fn trace_too_large_for_memory_is_downsampled_with_exact_counts() -> Result<()> {
    visit(|page| {
        let path = page.make_file("large.ctf", &[])?;
        let extent = Extent::Objects(400_000);
        let options = Options { shape: Shape::Server, extent, rate: 1e-2, domains: 1, seed: 5 };
        let written = generate(&options, BufWriter::new(File::create(&path)?))?;
        page.browser.go(&format!("{}?memory=5M", page.url))?;
        page.wait_for_worker("ready")?;
        page.drop_path(&path)?;
        page.wait_for_screen("loaded")?;
        page.wait_for("the counts", || Ok(page.figure("events.alloc").is_ok()))?;
        let allocs = page.count("events.alloc")?;
        ensure!(allocs == written.n_objects, "counted {allocs} of {} allocations", written.n_objects);
        page.says("This trace is too large for the available memory.")?;
        page.says("samples). Allocation totals stay exact")?;
        page.press("Flame graph")?;
        wait_for_picture(page)
    })
}

#[test]
fn complete_trace_has_no_warning() -> Result<()> {
    visit(|page| {
        page.open()?;
        page.drop_path(&TYPECORE.path())?;
        TYPECORE.is_shown(page)?;
        let warning = page.attribute("[data-warning]", "data-warning")?;
        ensure!(warning.is_none(), "the page shows the warning {warning:?}");
        Ok(())
    })
}
