//! Text for terminals: names without control characters, shortened names, and bars and sparklines of block characters.

use std::borrow::Cow;

/// Replaces control characters, which could control the terminal, with `�`. Names in a trace are untrusted data.
pub fn clean(text: &str) -> Cow<'_, str> {
    // Nearly all text is printable ASCII, which needs no decoding to check.
    let is_suspect = text.bytes().any(|byte| !(0x20..0x7f).contains(&byte));
    if is_suspect && text.contains(char::is_control) {
        Cow::Owned(text.replace(char::is_control, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Shortens a text to `width` characters. Keeps its start and end, because these distinguish names.
pub fn cut_middle(text: &str, width: usize) -> Cow<'_, str> {
    let n = text.chars().count();
    if n <= width {
        return Cow::Borrowed(text);
    }
    let kept = width.saturating_sub(1);
    let (head, tail) = (kept / 2, kept - kept / 2);
    let head: String = text.chars().take(head).collect();
    Cow::Owned(head + "…" + &text.chars().skip(n - tail).collect::<String>())
}

/// Draws a bar in eighths of a character. Anything above zero is visible.
pub fn bar(share: f64, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let full = 8 * width;
    // A share that isn't a number (0/0) counts as 0.
    let mut eighths = (share.clamp(0.0, 1.0) * full as f64).round() as usize;
    if share > 0.0 {
        eighths = eighths.max(1);
    }
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// Draws a curve with one character per value, from 0 to the maximum.
pub fn sparkline(values: &[f64]) -> String {
    const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let max = values.iter().copied().fold(0.0, f64::max);
    let step = |&value: &f64| {
        let share = if max > 0.0 { (value / max).clamp(0.0, 1.0) } else { 0.0 };
        STEPS[(share * 7.0).round() as usize]
    };
    values.iter().map(step).collect()
}

/// Takes the maximum of every few values, so that at most `n` are left.
pub fn coarser(values: &[f64], n: usize) -> Vec<f64> {
    let step = values.len().div_ceil(n.max(1)).max(1);
    values.chunks(step).map(|values| values.iter().copied().fold(0.0, f64::max)).collect()
}

/// Wraps a text at `width`. Longer words are split.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines: Vec<String> = Vec::new();
    let mut n_last = 0;
    for word in clean(text).split(' ') {
        let letters: Vec<char> = word.chars().collect();
        match lines.last_mut() {
            Some(line) if n_last + 1 + letters.len() <= width => {
                line.push(' ');
                line.push_str(word);
                n_last += 1 + letters.len();
            }
            _ if letters.is_empty() => {}
            _ => {
                lines.extend(letters.chunks(width).map(String::from_iter));
                n_last = letters.len() - letters.len().saturating_sub(1) / width * width;
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_breaks_at_words_and_loses_nothing() {
        let text = "a=2,b=0,H=0,i=15 lies in the way";
        for width in 1..40 {
            let lines = wrapped(text, width);
            assert!(lines.iter().all(|line| line.chars().count() <= width), "{lines:?}");
            assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
        }
        assert_eq!(wrapped(text, 12), ["a=2,b=0,H=0,", "i=15 lies in", "the way"]);
    }
}
