//! The tabs of the terminal UI.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    Summary,
    Timeline,
    Table,
    Tree,
    Flame,
    Histograms,
    Leaks,
    Compare,
}

impl Tab {
    pub const ALL: [Tab; 8] =
        [Tab::Summary, Tab::Timeline, Tab::Table, Tab::Tree, Tab::Flame, Tab::Histograms, Tab::Leaks, Tab::Compare];

    pub fn title(self) -> &'static str {
        match self {
            Tab::Summary => "Summary",
            Tab::Timeline => "Timeline",
            Tab::Table => "Table",
            Tab::Tree => "Tree",
            Tab::Flame => "Flame",
            Tab::Histograms => "Histograms",
            Tab::Leaks => "Leaks",
            Tab::Compare => "Compare",
        }
    }

    /// Returns the number of text lines below the list.
    pub fn words_rows(self) -> u16 {
        match self {
            Tab::Leaks => 7,
            Tab::Compare => 5,
            Tab::Histograms => 3,
            Tab::Flame => 2,
            Tab::Summary | Tab::Timeline | Tab::Table | Tab::Tree => 0,
        }
    }

    /// Whether it shows the matches of a search.
    pub fn has_search(self) -> bool {
        matches!(self, Tab::Table | Tab::Flame)
    }

    /// Returns the keys specific to this screen, for the last line.
    pub fn keys(self) -> &'static str {
        match self {
            Tab::Summary => "↑↓ select, scroll  ⏎ open",
            Tab::Timeline => "←→ go  P peak  ⏎ live  +- zoom  [] range  x only  AB diff  l by",
            Tab::Table => "⏎ callers  v source  s sort  r reverse  / search  g group",
            Tab::Tree => "↑↓ select  ←→ collapse, expand  v source  i invert  t threshold",
            Tab::Flame => "⏎ zoom  0 all  v source  / search  n next  i invert  x expand",
            Tab::Histograms => "↑↓ select  ⏎ only  s sizes  l lifetimes  w weight  b bins",
            Tab::Leaks => "↑↓ select  ⏎ callers  v source  g group",
            Tab::Compare => "↑↓ select  v source  AB times (on the timeline)  g group",
        }
    }
}
