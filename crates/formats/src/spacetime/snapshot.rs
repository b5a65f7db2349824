//! Reads the value of a snapshot.

use super::limits::{MAX_COUNT, MAX_TIME_S};
use super::marshal::{Block, Value};
use super::sink::{Entry, GcStats, Snapshot};

/// Reads a raw snapshot into `into`, whose memory is reused. `None` if anything in it is impossible.
pub fn read(value: Value<'_>, into: &mut Snapshot) -> Option<()> {
    let [time, gc, entries, scanned, with_profinfo, allocated] = value.block()?.exactly()?;
    into.at_us = time_us(time)?;
    into.gc = Some(gc_stats(gc.block()?)?);
    into.words_scanned = Some(count(scanned)?);
    into.words_scanned_with_profinfo = Some(count(with_profinfo)?);

    into.entries.clear();
    let mut fields = entries.block()?.fields();
    while let Some(profinfo) = fields.next() {
        let (blocks, words) = (fields.next()?, fields.next()?);
        into.entries.push(Entry { profinfo: number(profinfo)?, blocks: count(blocks)?, words: count(words)? });
    }
    into.allocated.clear();
    let mut cells = allocated.list();
    for [profinfo, words] in &mut cells {
        into.allocated.push((number(profinfo)?, count(words)?));
    }
    if !cells.has_ended() {
        return None;
    }
    tidy(into)
}

/// Sorts entries and allocated words and merges duplicate numbers. `None` if a sum is impossibly large.
pub fn tidy(snapshot: &mut Snapshot) -> Option<()> {
    let Snapshot { entries, allocated, .. } = snapshot;
    if !entries.is_sorted_by(|a, b| a.profinfo < b.profinfo) {
        entries.sort_by_key(|entry| entry.profinfo);
        entries.dedup_by(|entry, before| {
            let is_same = entry.profinfo == before.profinfo;
            if is_same {
                before.blocks = before.blocks.saturating_add(entry.blocks);
                before.words = before.words.saturating_add(entry.words);
            }
            is_same
        });
    }
    if !allocated.is_sorted_by(|a, b| a.0 < b.0) {
        allocated.sort_by_key(|(profinfo, _)| *profinfo);
        allocated.dedup_by(|(profinfo, words), before| {
            let is_same = *profinfo == before.0;
            if is_same {
                before.1 = before.1.saturating_add(*words);
            }
            is_same
        });
    }
    let [blocks, words] = entries.iter().fold([0; 2], |[blocks, words]: [u64; 2], entry| {
        [blocks.saturating_add(entry.blocks), words.saturating_add(entry.words)]
    });
    let allocated = allocated.iter().fold(0, |sum: u64, (_, words)| sum.saturating_add(*words));
    (blocks.max(words).max(allocated) <= MAX_COUNT).then_some(())
}

/// `None` if no program runs for that long.
pub fn time_us(value: Value<'_>) -> Option<u64> {
    let seconds = value.float()?;
    (0.0..=MAX_TIME_S).contains(&seconds).then(|| (seconds * 1e6).round() as u64)
}

pub fn gc_stats(block: Block<'_>) -> Option<GcStats> {
    let fields: [Value<'_>; 9] = block.exactly()?;
    let mut numbers = [0; 9];
    for (number, field) in numbers.iter_mut().zip(fields) {
        *number = count(field)?;
    }
    let [minor_words, promoted_words, major_words, minor_collections, major_collections, ..] = numbers;
    let [.., heap_words, heap_chunks, compactions, top_heap_words] = numbers;
    Some(GcStats {
        minor_words,
        promoted_words,
        major_words,
        minor_collections,
        major_collections,
        heap_words: heap_words * 8,
        heap_chunks,
        compactions,
        top_heap_words: top_heap_words * 8,
    })
}

pub fn count(value: Value<'_>) -> Option<u64> {
    u64::try_from(value.int()?).ok().filter(|&n| n <= MAX_COUNT)
}

fn number(value: Value<'_>) -> Option<u32> {
    u32::try_from(value.int()?).ok()
}
