//! Messages from the program that the page is embedded in.

use serde::Deserialize;

use super::theme::Theme;

/// A message from the host. `host.js` handles the others.
#[derive(Debug)]
pub enum HostMessage {
    Open {
        name: String,
        size: u64,
    },
    Theme(Theme),
    /// The view, as the text of a link.
    State(String),
    /// The files of the trace to send figures of.
    Annotate(Vec<String>),
}

/// A message as it arrives. Fields of other messages are empty.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Received {
    #[serde(rename = "type")]
    kind_of_message: String,
    name: String,
    size: f64,
    kind: String,
    hash: String,
    files: Vec<String>,
}

impl HostMessage {
    /// Returns `None` for messages of later versions.
    pub fn new(message: Received) -> Option<HostMessage> {
        Some(match message.kind_of_message.as_str() {
            "open" => HostMessage::Open { name: message.name, size: message.size as u64 },
            "theme" => HostMessage::Theme(Theme::from_name(&message.kind)),
            "state" => HostMessage::State(message.hash),
            "annotate" => HostMessage::Annotate(message.files),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(kind_of_message: &str) -> Option<HostMessage> {
        HostMessage::new(Received {
            kind_of_message: kind_of_message.to_owned(),
            name: "a.ctf".to_owned(),
            size: -1.0,
            kind: "high-contrast-dark".to_owned(),
            ..Received::default()
        })
    }

    #[test]
    fn messages_of_later_versions_and_impossible_sizes_do_no_harm() {
        assert!(received("dance").is_none() && received("").is_none());
        assert!(matches!(received("open"), Some(HostMessage::Open { size: 0, .. })));
        assert!(matches!(received("theme"), Some(HostMessage::Theme(Theme::HighContrastDark))));
    }
}
