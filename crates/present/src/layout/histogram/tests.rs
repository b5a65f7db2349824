use super::*;
use camlscope_engine::query::histogram::Bin;

fn amounts(samples: u64) -> BinAmounts {
    BinAmounts { samples, bytes: samples as f64 * 1024.0, blocks: samples as f64 / 3.0 }
}

fn bin(from: u64, to: u64, samples: u64) -> Bin {
    let BinAmounts { samples, bytes, blocks } = amounts(samples);
    Bin {
        from,
        to,
        samples,
        bytes,
        blocks,
        parts: vec![amounts(samples / 4), amounts(samples - samples / 4)],
        ..Bin::default()
    }
}

fn lifetimes() -> Histogram {
    Histogram {
        bins: vec![bin(512, 1024, 8), bin(1024, 2048, 0), bin(2048, 4096, 1)],
        never: Some(amounts(4)),
        never_parts: vec![amounts(4), amounts(0)],
        ..Histogram::default()
    }
}

fn classic() -> Histogram {
    let singles = (0..33).map(|size| bin(size, size + 1, size % 5));
    let rest = [bin(33, 257, 40), bin(257, 10_001, 12), bin(10_001, 70_000, 1)];
    Histogram { bins: singles.chain(rest).collect(), ..Histogram::default() }
}

fn height(bar: &Bar) -> f64 {
    bar.pieces.iter().map(|piece| piece.h).sum()
}

#[test]
fn never_freed_is_the_last_bar_and_separate() {
    let columns = columns(&lifetimes(), Bins::Log2);
    let picture = picture(&columns, Of::Lifetime, Counted::Bytes, false, (600.0, 260.0), Units::Binary);
    let gap = |at: usize| picture.bars[at].x - picture.bars[at - 1].x - picture.bars[at - 1].w;
    assert_eq!(columns.last().map(|column| column.which), Some(Which::Never));
    assert!(gap(3) > 3.0 * gap(2));
    assert_eq!(picture.labels.last().map(|label| label.1.as_str()), Some("never"));
    assert!(picture.labels.iter().any(|label| label.1 == "1 ms"), "{:?}", picture.labels);
}

#[test]
fn heights_are_linear_or_logarithmic_and_one_sample_is_always_visible() {
    let columns = columns(&lifetimes(), Bins::Log2);
    for is_log in [false, true] {
        let picture = picture(&columns, Of::Lifetime, Counted::Samples, is_log, (600.0, 260.0), Units::Binary);
        let heights: Vec<f64> = picture.bars.iter().map(height).collect();
        assert_eq!(heights[1], 0.0);
        assert!(heights[2] >= 1.0 && heights[0] > heights[3] && heights[3] > heights[2]);
        let expected = if is_log { 16f64.ln() / 2f64.ln() } else { 8.0 };
        assert!((heights[0] / heights[2] - expected).abs() < 1e-9);
        for (bar, column) in picture.bars.iter().zip(&columns) {
            for piece in &bar.pieces {
                let share = column.parts[piece.part].samples as f64 / column.amounts.samples as f64;
                assert!((piece.h / height(bar) - share).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn classic_bins_have_labels_and_empty_zero_word_blocks_are_left_out() {
    let columns = columns(&classic(), Bins::Classic);
    let words = |at: usize| range_words(Of::Size, &columns[at], &columns[at]);
    assert_eq!([words(0), words(31)], ["1 word", "32 words"]);
    assert_eq!([words(32), words(33), words(34)], ["33 to 256 words", "257 to 10,000 words", "more than 10,000 words"]);
    assert_eq!(range_words(Of::Size, &columns[3], &columns[32]), "4 to 256 words");
    let picture = picture(&columns, Of::Size, Counted::Bytes, false, (900.0, 260.0), Units::Binary);
    assert!(picture.bars[32].w > 2.5 * picture.bars[31].w);
    let labels: Vec<&str> = picture.labels.iter().map(|label| label.1.as_str()).collect();
    assert!(labels.ends_with(&["≤256", "≤10k", ">10k"]), "{labels:?}");
}

#[test]
fn labels_never_overlap_at_any_width() {
    let columns = columns(&classic(), Bins::Classic);
    for width in [280.0, 400.0, 900.0, 2000.0] {
        let picture = picture(&columns, Of::Size, Counted::Bytes, false, (width, 260.0), Units::Binary);
        for pair in picture.labels.windows(2) {
            let half = |label: &(f64, String)| label.1.chars().count() as f64 * LETTER / 2.0;
            assert!(pair[0].0 + half(&pair[0]) < pair[1].0 - half(&pair[1]), "{pair:?} at {width}");
        }
    }
}

#[test]
fn hit_testing_finds_the_nearest_bar() {
    let columns = columns(&lifetimes(), Bins::Log2);
    let picture = picture(&columns, Of::Lifetime, Counted::Bytes, false, (600.0, 260.0), Units::Binary);
    for (at, bar) in picture.bars.iter().enumerate() {
        assert_eq!(picture.at(bar.x + bar.w / 2.0), Some(at));
    }
    assert_eq!((picture.at(-5.0), picture.at(1e4)), (Some(0), Some(3)));
    assert_eq!(Picture::default().at(3.0), None);
}
