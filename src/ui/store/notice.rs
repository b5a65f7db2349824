//! Short messages to the user.

/// A sentence above the screen, until it could be read, is dismissed, or another file is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub tone: Tone,
    pub text: String,
}

impl Notice {
    pub fn info(text: impl Into<String>) -> Notice {
        Notice { tone: Tone::Info, text: text.into() }
    }

    pub fn problem(text: impl Into<String>) -> Notice {
        Notice { tone: Tone::Problem, text: text.into() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Info,
    Problem,
}
