//! Text for terminals: names without control characters, names that fit, bars and curves of block characters.

use std::borrow::Cow;

/// A trace's names are data: control characters, which could drive the terminal, become `�`.
pub fn clean(text: &str) -> Cow<'_, str> {
    // Nearly all text is printable ASCII, which takes no decoding to see.
    let is_suspect = text.bytes().any(|byte| !(0x20..0x7f).contains(&byte));
    if is_suspect && text.contains(char::is_control) {
        Cow::Owned(text.replace(char::is_control, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// At most so many characters of a text: where there are more, its beginning and its end, which tell names apart.
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

/// A bar of eighths of characters; anything above nothing is seen.
pub fn bar(share: f64, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let full = 8 * width;
    // A share that is no number (nothing of nothing) is 0.
    let mut eighths = (share.clamp(0.0, 1.0) * full as f64).round() as usize;
    if share > 0.0 {
        eighths = eighths.max(1);
    }
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// A curve of one character a value, from 0 to the largest.
pub fn sparkline(values: &[f64]) -> String {
    const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let max = values.iter().copied().fold(0.0, f64::max);
    let step = |&value: &f64| {
        let share = if max > 0.0 { (value / max).clamp(0.0, 1.0) } else { 0.0 };
        STEPS[(share * 7.0).round() as usize]
    };
    values.iter().map(step).collect()
}

/// The highest of each few values, so that at most `n` are left.
pub fn coarser(values: &[f64], n: usize) -> Vec<f64> {
    let step = values.len().div_ceil(n.max(1)).max(1);
    values.chunks(step).map(|values| values.iter().copied().fold(0.0, f64::max)).collect()
}

/// The lines of a text that is at most so wide; words that are wider are cut.
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
    fn text_is_wrapped_at_words_and_nothing_of_it_is_lost() {
        let text = "a=2,b=0,H=0,i=15 lies in the way";
        for width in 1..40 {
            let lines = wrapped(text, width);
            assert!(lines.iter().all(|line| line.chars().count() <= width), "{lines:?}");
            assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
        }
        assert_eq!(wrapped(text, 12), ["a=2,b=0,H=0,", "i=15 lies in", "the way"]);
    }
}
