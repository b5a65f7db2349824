//! How the smaller views are set, as words that a link carries: one word a setting, none where it is as usual. What a word
//! means, the view knows.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Sizes, lifetimes or one of the heat maps.
    HistogramOf,
    /// What a bar counts.
    HistogramWeight,
    /// What bars are split by.
    HistogramSplit,
    /// Which cuts.
    HistogramBins,
    /// A linear or a logarithmic height.
    HistogramHeight,
    /// What a site is.
    LeakBy,
    /// The site that is open in the list of leaks.
    LeakSite,
    /// What a verdict needs.
    LeakThresholds,
    /// Which events are listed.
    EventsShown,
    /// The first event that is seen.
    EventsFrom,
    /// What is compared with what.
    Versus,
}

impl Setting {
    const ALL: [Setting; 11] = [
        Setting::HistogramOf,
        Setting::HistogramWeight,
        Setting::HistogramSplit,
        Setting::HistogramBins,
        Setting::HistogramHeight,
        Setting::LeakBy,
        Setting::LeakSite,
        Setting::LeakThresholds,
        Setting::EventsShown,
        Setting::EventsFrom,
        Setting::Versus,
    ];

    /// Its name in a link.
    pub fn key(self) -> &'static str {
        match self {
            Setting::HistogramOf => "bars",
            Setting::HistogramWeight => "bars.count",
            Setting::HistogramSplit => "bars.split",
            Setting::HistogramBins => "bars.cuts",
            Setting::HistogramHeight => "bars.height",
            Setting::LeakBy => "leak.by",
            Setting::LeakSite => "leak",
            Setting::LeakThresholds => "leak.needs",
            Setting::EventsShown => "events",
            Setting::EventsFrom => "events.from",
            Setting::Versus => "versus",
        }
    }

    pub fn of_key(key: &str) -> Option<Setting> {
        Setting::ALL.into_iter().find(|setting| setting.key() == key)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings(Vec<(Setting, String)>);

impl Settings {
    /// Empty where it is as usual.
    pub fn get(&self, setting: Setting) -> &str {
        self.0.iter().find(|(other, _)| *other == setting).map_or("", |(_, word)| word)
    }

    pub fn set(&mut self, setting: Setting, word: String) {
        self.0.retain(|(other, _)| *other != setting);
        if !word.is_empty() {
            // One look, one text.
            let at = self.0.partition_point(|(other, _)| (*other as u8) < setting as u8);
            self.0.insert(at, (setting, word));
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (Setting, &str)> {
        self.0.iter().map(|(setting, word)| (*setting, word.as_str()))
    }
}
