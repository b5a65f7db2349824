//! The function names in the verdict on the heap.

/// Splits a text into names and other parts. The flag is true for a name.
pub fn parts<'a>(text: &'a str, names: &[String]) -> Vec<(&'a str, bool)> {
    let mut parts = Vec::new();
    let mut rest = text;
    // Take the first name, or the longer one of two at the same position.
    while let Some((at, n)) = names
        .iter()
        .filter_map(|name| Some((find_word(rest, name)?, name.len())))
        .min_by_key(|&(at, n)| (at, usize::MAX - n))
    {
        parts.push((&rest[..at], false));
        parts.push((&rest[at..at + n], true));
        rest = &rest[at + n..];
    }
    parts.push((rest, false));
    parts
}

/// Returns the position of a name, unless it is part of a longer one.
fn find_word(text: &str, name: &str) -> Option<usize> {
    let is_apart = |at: usize| {
        let before = text[..at].chars().next_back();
        let mut behind = text[at + name.len()..].chars();
        let continues = match behind.next() {
            Some('.') => behind.next().is_some_and(|next| !next.is_whitespace()),
            next => next.is_some_and(|next| next.is_alphanumeric() || next == '_' || next == '\''),
        };
        before.is_none_or(char::is_whitespace) && !continues
    };
    text.match_indices(name).map(|(at, _)| at).filter(|_| !name.is_empty()).find(|at| is_apart(*at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_names_are_bold_but_parts_of_longer_names_are_not() {
        let names = ["Growth.Metric.make", "Growth", "Growth.Metric"].map(str::to_owned);
        let text = "Two functions carry it, all called from Growth: Growth.Metric.make 11%, Growth.Metric 4%.";
        let bold: Vec<&str> = parts(text, &names).into_iter().filter(|part| part.1).map(|part| part.0).collect();
        assert_eq!(bold, ["Growth", "Growth.Metric.make", "Growth.Metric"]);
        let whole: String = parts(text, &names).into_iter().map(|part| part.0).collect();
        assert_eq!(whole, text);
    }
}
