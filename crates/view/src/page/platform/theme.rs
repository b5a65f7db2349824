//! The light, dark or system theme.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
    /// Only a host can choose high contrast.
    HighContrastLight,
    HighContrastDark,
}

impl Theme {
    pub fn as_str(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
            Theme::HighContrastLight => "high-contrast-light",
            Theme::HighContrastDark => "high-contrast-dark",
        }
    }

    pub fn from_name(word: &str) -> Theme {
        let chosen = [Theme::Light, Theme::Dark, Theme::HighContrastLight, Theme::HighContrastDark];
        chosen.into_iter().find(|theme| theme.as_str() == word).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_themes_round_trip_and_unknown_ones_mean_system() {
        for theme in [Theme::System, Theme::Light, Theme::Dark, Theme::HighContrastLight, Theme::HighContrastDark] {
            assert_eq!(Theme::from_name(theme.as_str()), theme);
        }
        assert_eq!(Theme::from_name("mauve"), Theme::System);
    }
}
