//! The legend of a flame graph's colors, widest first.

use std::collections::HashMap;

use super::{Colors, Stage, TOP_KEY, tint};
use crate::layout::color::{ModuleColors, Tint};
use crate::layout::draw::Paint;
use crate::layout::names;
use crate::layout::picture::LegendEntry;
use camlscope_engine::query::flame::Flame;
use camlscope_engine::query::label::file_of_line;
use camlscope_engine::query::sorting::sort_by;
use camlscope_engine::query::tree::Label;

/// More entries would be a second chart.
const MOST_ENTRIES: usize = 12;

/// Returns one entry per color, with all names that have it.
pub fn legend(halves: &[(&Flame, &Stage)], colors: Colors, modules: &ModuleColors) -> Vec<LegendEntry> {
    let mut widths: HashMap<String, (Tint, f64)> = HashMap::new();
    let mut has_merged = false;
    for (flame, stage) in halves {
        for of in &flame.boxes {
            let (Some(area), Some(name)) = (stage.area(of), flame.names.get(of.name as usize)) else { continue };
            has_merged |= of.n_merged > 0;
            if of.n_merged == 0 && name.key != TOP_KEY {
                let tint = tint(&name.label, colors, modules);
                widths.entry(name_of(&name.label, tint, colors)).or_insert((tint, 0.0)).1 += area.w;
            }
        }
    }
    let mut names: Vec<(String, (Tint, f64))> = widths.into_iter().collect();
    sort_by(&mut names, |(name, (_, width)), (other, (_, other_width))| {
        other_width.total_cmp(width).then_with(|| name.cmp(other))
    });
    let n_left_out = names.len().saturating_sub(MOST_ENTRIES);
    let mut entries: Vec<LegendEntry> = Vec::new();
    for (name, (tint, _)) in names.into_iter().take(MOST_ENTRIES) {
        let paint = Paint::Tint(tint);
        match entries.iter_mut().find(|entry| entry.paint == paint) {
            Some(entry) => entry.text = format!("{}, {name}", entry.text),
            None => entries.push(LegendEntry { paint, text: name }),
        }
    }
    if has_merged {
        entries.push(LegendEntry { paint: Paint::Other, text: "too narrow to draw".to_owned() });
    }
    if n_left_out > 0 {
        entries.push(LegendEntry { paint: Paint::Surface, text: format!("{n_left_out} more") });
    }
    entries
}

/// Returns the name that determines a frame's color, consistent with [`tint`].
fn name_of(label: &Label, tint: Tint, colors: Colors) -> String {
    if tint == Tint::Library {
        return "library code".to_owned();
    }
    if let Some(file) = file_of_line(&label.name) {
        return file.to_owned();
    }
    if colors == Colors::File && !label.file.is_empty() {
        return label.file.clone();
    }
    let plain = names::plain(&label.name);
    match names::module_end(&plain) {
        0 => plain,
        end => plain[..end].to_owned(),
    }
}
