//! Histograms and heat maps with all figures in full precision, for spreadsheets.

use super::csv;
use camlscope_engine::query::histogram::heat::Heat;
use camlscope_engine::query::histogram::{Bin, BinAmounts, Histogram};

/// Writes one line per bin. Objects that were never freed have no bounds. Parts are in samples.
pub fn histogram_csv(histogram: &Histogram) -> String {
    let mut heading = vec!["from", "to_exclusive", "samples", "bytes", "blocks"];
    heading.extend(histogram.part_names.iter().map(String::as_str));
    let line = |bounds: Option<(u64, u64)>, whole: BinAmounts, parts: &[BinAmounts]| {
        let bounds = bounds.map_or_else(Default::default, |(from, to)| [from.to_string(), to.to_string()]);
        let mut cells: Vec<String> = bounds.into();
        cells.extend([whole.samples.to_string(), whole.bytes.to_string(), whole.blocks.to_string()]);
        cells.extend(parts.iter().map(|part| part.samples.to_string()));
        cells
    };
    let of_bin = |bin: &Bin| {
        let whole = BinAmounts { samples: bin.samples, bytes: bin.bytes, blocks: bin.blocks };
        line(Some((bin.from, bin.to)), whole, &bin.parts)
    };
    let never = histogram.never.map(|never| line(None, never, &histogram.never_parts));
    csv(&heading, histogram.bins.iter().map(of_bin).chain(never))
}

/// Writes one line per nonempty cell. Objects that were never freed have no lifetime.
pub fn heat_csv(heat: &Heat) -> String {
    let heading =
        ["from", "to_exclusive", "lifetime_from_us", "lifetime_to_us_exclusive", "samples", "bytes", "blocks"];
    let lifetimes = heat.lifetimes.iter().map(|bin| [bin.from.to_string(), bin.to.to_string()]);
    let rows = lifetimes.chain([Default::default()]).zip(heat.cells.chunks(heat.across.len().max(1)));
    let lines = rows.flat_map(|(lifetime, row)| {
        let filled = row.iter().zip(&heat.across).filter(|(amounts, _)| amounts.samples > 0);
        filled.map(move |(BinAmounts { samples, bytes, blocks }, across)| {
            let [from, to] = lifetime.clone();
            let (samples, bytes, blocks) = (samples.to_string(), bytes.to_string(), blocks.to_string());
            vec![across.from.to_string(), across.to.to_string(), from, to, samples, bytes, blocks]
        })
    });
    csv(&heading, lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::query::histogram::heat::AxisBin;

    fn amounts(samples: u64) -> BinAmounts {
        BinAmounts { samples, bytes: 8.0 * samples as f64, blocks: 0.5 }
    }

    #[test]
    fn every_bin_has_a_line_and_so_do_objects_never_freed() {
        let histogram = Histogram {
            bins: vec![Bin {
                from: 1,
                to: 2,
                samples: 3,
                bytes: 24.0,
                blocks: 1.5,
                parts: vec![amounts(2), amounts(1)],
                ..Bin::default()
            }],
            never: Some(amounts(4)),
            never_parts: vec![amounts(0), amounts(4)],
            part_names: vec!["minor".to_owned(), "a,b".to_owned()],
            ..Histogram::default()
        };
        let expected = "from,to_exclusive,samples,bytes,blocks,minor,\"a,b\"\r\n1,2,3,24,1.5,2,1\r\n,,4,32,0.5,0,4\r\n";
        assert_eq!(histogram_csv(&histogram), expected);
    }

    #[test]
    fn only_nonempty_cells_have_lines() {
        let heat = Heat {
            across: vec![AxisBin { from: 1, to: 2 }, AxisBin { from: 2, to: 4 }],
            lifetimes: vec![AxisBin { from: 0, to: 1 }],
            cells: [0, 7, 5, 0].map(amounts).into(),
            outside: 0,
        };
        let text = heat_csv(&heat);
        assert_eq!(text.lines().skip(1).collect::<Vec<_>>(), ["2,4,0,1,7,56,0.5", "1,2,,,5,40,0.5"]);
    }
}
