//! Seeds for the fuzz targets: real files and texts, in the format that each target reads.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;

/// Small traces, so that mutations are likely to hit something relevant.
const TRACES: [&str; 8] = [
    "tiny-0.01-o5-v3.ctf",
    "tiny-0.1-v2.ctf",
    "tiny-1.0-v3.ctf",
    "empty-1e-6-v3.ctf",
    "leak-1e-6-v3.ctf",
    "longline-1.0-v3.ctf",
    "longline-1.0-o5-v2.ctf",
    "menhir-1e-5-v3.ctf",
];
const PROFILE: &str = "spacetime-11710.p";

/// Chunk sizes to read a file in.
const CHUNKS: [u16; 3] = [1, 67, 4096];

const TEXTS: [&str; 24] = [
    "",
    "allocated=1s..2s&size=257..&heap=minor,promoted",
    "collected=never&live-at=peak",
    "live-within=..500ms&live-through=1min..2h&lifetime=850us..",
    "size=1KiB..2MiB&domain=0,1",
    "function=^Stdlib&not-allocating-file-is=list.ml",
    "responsible-module-contains=Parser&hide=List|Array&focus=Main.run",
    "calls=~f>\\*g&hide-is=a%26b",
    "#tab=flame&show=live&by=site&recursion=folded&library=callers",
    "#tab=table&order=-self&table.search=list&selected=f@a.ml@1:2-3",
    "#tab=compare&versus=1.5s,end&versus.width=before&versus.root=f@a.ml&versus.sum=self",
    "#tab=compare&versus=traces&versus.rows=changed&versus.order=-change&versus.scale=per-second",
    "#tab=histograms&bars=lifetime&bars.count=blocks&bars.split=none&bars.cuts=log2&bars.height=log",
    "#tab=events&events=promote&events.from=%2312 collected",
    "#tab=leaks&leak.view=flame&finding=f@a.ml&finding.figure=changed",
    "#way=callers&of=Tiny.f@tiny.ml&root=Tiny@tiny.ml&search=make",
    "#stack=module&layers=more&clock=wall&zoom=1s..2s&show=1.5s&off.size=..4",
    "live@1.5s",
    "growth-blocks",
    "0..256:16",
    "0s..2s:20",
    "-total",
    "500M",
    "f@a.ml@12:3-45",
];

/// The number of seeds for `ask`. Each one makes different queries.
const N_CHOICES: u8 = 24;

pub fn write_seeds(root: &Path, target: &str, folder: &Path) -> Result<()> {
    let fixture = |name: &str| {
        let path = root.join("crates/testkit/fixtures").join(name);
        fs::read(&path).with_context(|| format!("can't read {}", path.display()))
    };
    let mut seeds = Vec::new();
    match target {
        "typed" => seeds.extend(TEXTS.map(|text| text.as_bytes().to_vec())),
        "spacetime" => seeds.extend(in_chunks(&fixture(PROFILE)?)),
        "decompress" => {
            let file = fixture(TRACES[1])?;
            for archive in [gzip(&file)?, [gzip(&file)?, gzip(b"more")?].concat(), zstd(&file[..200])] {
                seeds.extend(in_chunks(&archive));
            }
        }
        "ask" => {
            for choice in 0..N_CHOICES {
                let file = fixture(TRACES[usize::from(choice) % 3])?;
                seeds.push(asking(&choices(choice), &file));
            }
            seeds.push(asking(&choices(3), &fixture(PROFILE)?));
        }
        _ => {
            for name in TRACES {
                seeds.extend(in_chunks(&fixture(name)?));
            }
            seeds.extend(in_chunks(&gzip(&fixture(TRACES[0])?)?));
            seeds.extend(in_chunks(&fixture(PROFILE)?));
        }
    }
    for (number, seed) in seeds.iter().enumerate() {
        let path = folder.join(format!("seed-{number:02}"));
        fs::write(&path, seed).with_context(|| format!("can't write {}", path.display()))?;
    }
    Ok(())
}

/// Returns one seed per chunk size: the size, then the file.
fn in_chunks(file: &[u8]) -> Vec<Vec<u8>> {
    CHUNKS.iter().map(|size| [&size.to_le_bytes()[..], file].concat()).collect()
}

/// Returns a seed for `ask`: the number of choices, the choices, and the file.
fn asking(choices: &[u8], file: &[u8]) -> Vec<u8> {
    [&(choices.len() as u16).to_le_bytes()[..], choices, file].concat()
}

/// Returns a different sequence of numbers for each `first`. They choose the queries.
fn choices(first: u8) -> Vec<u8> {
    (0..64).map(|at: u8| at.wrapping_mul(2 * first + 1).wrapping_add(first)).collect()
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

/// Returns a zstd frame with one uncompressed block of at most 255 bytes.
fn zstd(bytes: &[u8]) -> Vec<u8> {
    let bytes = &bytes[..bytes.len().min(255)];
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x20, bytes.len() as u8];
    // The block's header: last block, raw, with the length in the upper bits.
    frame.extend_from_slice(&((bytes.len() as u32) << 3 | 1).to_le_bytes()[..3]);
    frame.extend_from_slice(bytes);
    frame
}
