//! What the reader has chosen to see, as words that a link carries.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::query::histogram::{Bins, Counted, HistogramConfig, Of, Split};
use crate::ui::look::{Setting, Settings, Turn};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Sizes,
    Lifetimes,
    SizeAndLifetime,
    TimeAndLifetime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen {
    pub kind: Kind,
    pub weight: Counted,
    pub split: Option<Split>,
    pub bins: Bins,
    pub is_log: bool,
}

/// A word of a link, and what the page calls it. The first is the usual one, whose word is empty.
type Words = &'static [(&'static str, &'static str)];

pub const WEIGHTS: Words = &[("", "bytes"), ("samples", "samples"), ("blocks", "blocks")];
const SPLITS: Words = &[("", "by heap"), ("fate", "by fate"), ("none", "not split")];
const SIZE_BINS: Words = &[("", "classic cuts"), ("log2", "powers of 2")];
const LIFETIME_BINS: Words = &[("", "powers of 2"), ("log10", "powers of 10")];
const HEIGHTS: Words = &[("", "linear height"), ("log", "log height")];

impl Kind {
    const ALL: [Kind; 4] = [Kind::Sizes, Kind::Lifetimes, Kind::SizeAndLifetime, Kind::TimeAndLifetime];

    /// Empty for the usual one.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Sizes => "",
            Kind::Lifetimes => "lifetimes",
            Kind::SizeAndLifetime => "size-lifetime",
            Kind::TimeAndLifetime => "time-lifetime",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Kind::Sizes => "Sizes",
            Kind::Lifetimes => "Lifetimes",
            Kind::SizeAndLifetime => "Size × lifetime",
            Kind::TimeAndLifetime => "Time × lifetime",
        }
    }
}

impl Chosen {
    pub fn of(settings: &Settings) -> Chosen {
        let word = settings.get(Setting::HistogramOf);
        let kind = Kind::ALL.into_iter().find(|kind| kind.word() == word).unwrap_or(Kind::Sizes);
        Chosen {
            kind,
            weight: match settings.get(Setting::HistogramWeight) {
                "samples" => Counted::Samples,
                "blocks" => Counted::Blocks,
                _ => Counted::Bytes,
            },
            split: match settings.get(Setting::HistogramSplit) {
                "none" => None,
                "fate" => Some(Split::Fate),
                _ => Some(Split::Heap),
            },
            bins: match (kind, settings.get(Setting::HistogramBins)) {
                (Kind::Lifetimes, "log10") => Bins::Log10,
                (Kind::Lifetimes, _) | (_, "log2") => Bins::Log2,
                _ => Bins::Classic,
            },
            is_log: settings.get(Setting::HistogramHeight) == "log",
        }
    }

    pub fn of_what(self) -> Of {
        if self.kind == Kind::Lifetimes { Of::Lifetime } else { Of::Size }
    }

    pub fn config(self) -> HistogramConfig {
        HistogramConfig { of: self.of_what(), bins: self.bins, split: self.split, weight: self.weight }
    }
}

/// Its place among the words.
pub fn weight_at(weight: Counted) -> usize {
    match weight {
        Counted::Bytes => 0,
        Counted::Samples => 1,
        Counted::Blocks => 2,
    }
}

pub fn controls(chosen: Chosen, turn: &Callback<Turn>) -> Html {
    let kind = |kind: Kind| {
        let onclick = turn.reform(move |_: MouseEvent| Turn::Set(Setting::HistogramOf, kind.word().to_owned()));
        let pressed = (chosen.kind == kind).to_string();
        html! { <button class="choice" aria-pressed={pressed} {onclick}>{ kind.title() }</button> }
    };
    let split = match chosen.split {
        Some(Split::Heap) => 0,
        Some(Split::Fate) => 1,
        None => 2,
    };
    let (bins_words, bins) = match (chosen.kind, chosen.bins) {
        (Kind::Lifetimes, bins) => (LIFETIME_BINS, usize::from(bins == Bins::Log10)),
        (_, bins) => (SIZE_BINS, usize::from(bins == Bins::Log2)),
    };
    let has_bars = matches!(chosen.kind, Kind::Sizes | Kind::Lifetimes);
    html! {
        <div class="histogram-bar">
            <div class="choices" role="group" aria-label="What is counted">{ for Kind::ALL.into_iter().map(kind) }</div>
            <div class="histogram-ways">
                { select("Weight", Setting::HistogramWeight, WEIGHTS, weight_at(chosen.weight), turn) }
                if has_bars {
                    { select("Split", Setting::HistogramSplit, SPLITS, split, turn) }
                    { select("Cuts", Setting::HistogramBins, bins_words, bins, turn) }
                    { select("Height", Setting::HistogramHeight, HEIGHTS, usize::from(chosen.is_log), turn) }
                }
            </div>
        </div>
    }
}

fn select(label: &'static str, setting: Setting, words: Words, chosen: usize, turn: &Callback<Turn>) -> Html {
    let onchange = turn.reform(move |event: Event| {
        let word = event.target_dyn_into::<HtmlSelectElement>().map(|select| select.value());
        Turn::Set(setting, word.unwrap_or_default())
    });
    let option = |(at, &(word, text)): (usize, &(&'static str, &'static str))| {
        html! { <option value={word} selected={at == chosen}>{ text }</option> }
    };
    // Another list of options is another element: WebKit would keep the place that was chosen in the list before.
    html! {
        <select key={words[1].0} class="quiet" aria-label={label} {onchange}>{ for words.iter().enumerate().map(option) }</select>
    }
}
