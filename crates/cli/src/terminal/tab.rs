//! The tabs of the terminal UI.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    Summary,
    Timeline,
    Table,
    Tree,
    Leaks,
    Compare,
}

impl Tab {
    pub const ALL: [Tab; 6] = [Tab::Summary, Tab::Timeline, Tab::Table, Tab::Tree, Tab::Leaks, Tab::Compare];

    pub fn title(self) -> &'static str {
        match self {
            Tab::Summary => "Summary",
            Tab::Timeline => "Timeline",
            Tab::Table => "Table",
            Tab::Tree => "Tree",
            Tab::Leaks => "Leaks",
            Tab::Compare => "Compare",
        }
    }

    /// Returns the number of text lines below the list.
    pub fn words_rows(self) -> u16 {
        match self {
            Tab::Leaks => 7,
            Tab::Compare => 5,
            Tab::Summary | Tab::Timeline | Tab::Table | Tab::Tree => 0,
        }
    }

    /// Returns the keys specific to this screen, for the last line.
    pub fn keys(self) -> &'static str {
        match self {
            Tab::Summary => "↑↓ select, scroll  ⏎ open",
            Tab::Timeline => "←→ go  P peak  ⏎ live  +- zoom  [] range  x only  AB diff  l by",
            Tab::Table => "↑↓ select  ⏎ callers  s sort  r reverse  / search  g group",
            Tab::Tree => "↑↓ select  ←→ collapse, expand  i invert  t threshold",
            Tab::Leaks => "↑↓ select  ⏎ callers  g group",
            Tab::Compare => "↑↓ select  AB times (on the timeline)  g group",
        }
    }
}
