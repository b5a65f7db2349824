//! How well names match what was typed, for lists that show the best match first.

/// Returns how far a name is from what was typed, ignoring case: the less, the better. `None` unless the name contains
/// each word, as a part or as initials: `osv` finds `Orders.Session.visit`.
pub fn distance(name: &str, typed: &str) -> Option<u32> {
    let letters: Vec<char> = name.chars().map(lower).collect();
    let starts = starts(name);
    let words = typed.split_whitespace().map(|word| word.chars().map(lower).collect::<Vec<char>>());
    let sum = words.map(|word| word_distance(&letters, &starts, &word)).sum::<Option<u32>>()?;
    // Among equally good matches, short names come first.
    Some(sum * 1024 + letters.len().min(1023) as u32)
}

fn lower(letter: char) -> char {
    letter.to_lowercase().next().unwrap_or(letter)
}

/// For each letter: whether it starts a word of the name, such as both letters of `a.b` and the `S` of `listSort`.
fn starts(name: &str) -> Vec<bool> {
    let mut before = ' ';
    let is_start = |letter: char| {
        let last = std::mem::replace(&mut before, letter);
        letter.is_alphanumeric() && (!last.is_alphanumeric() || letter.is_uppercase() && !last.is_uppercase())
    };
    name.chars().map(is_start).collect()
}

fn word_distance(name: &[char], starts: &[bool], word: &[char]) -> Option<u32> {
    if name == word {
        return Some(0);
    }
    if name.starts_with(word) {
        return Some(1);
    }
    let found = || name.windows(word.len()).zip(starts).filter(|(part, _)| *part == word);
    match found().any(|(_, is_start)| *is_start) {
        true => Some(2),
        false if found().next().is_some() => Some(3),
        false => is_made_of_initials(name, starts, word).then_some(4),
    }
}

/// Whether the word's letters occur in order, each after the previous one or at the start of a later word.
fn is_made_of_initials(name: &[char], starts: &[bool], word: &[char]) -> bool {
    // Where the letters so far can end, as one flag per letter of the name.
    let mut ends: Option<Vec<bool>> = None;
    for &letter in word {
        let (mut is_behind, mut is_next) = (ends.is_none(), false);
        let next = name.iter().zip(starts).enumerate().map(|(at, (&other, &is_start))| {
            let can_end = other == letter && (is_next || is_start && is_behind);
            is_next = ends.as_ref().is_some_and(|ends| ends[at]);
            is_behind |= is_next;
            can_end
        });
        ends = Some(next.collect());
    }
    ends.is_some_and(|ends| ends.contains(&true))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names that match, best first.
    fn best<'a>(names: &[&'a str], typed: &str) -> Vec<&'a str> {
        let mut found: Vec<_> = names.iter().filter_map(|name| Some((distance(name, typed)?, *name))).collect();
        found.sort();
        found.into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn whole_names_come_before_prefixes_words_parts_and_initials() {
        let names = ["List.map", "Map.add", "map", "Bitmap.set", "My_apps.run", "fold"];
        assert_eq!(best(&names, "MAP"), ["map", "Map.add", "List.map", "Bitmap.set", "My_apps.run"]);
    }

    #[test]
    fn words_match_in_any_order_and_initials_start_words() {
        let names = ["Orders.Session.visit", "Orders.Server.handle", "Show in flame graph", "osvaldo"];
        assert_eq!(best(&names, "osv"), ["osvaldo", "Orders.Session.visit"]);
        assert_eq!(best(&names, "visit order"), ["Orders.Session.visit"]);
        assert_eq!(best(&names, "orsevis"), ["Orders.Session.visit"]);
        assert_eq!(best(&names, "fg"), ["Show in flame graph"]);
        assert_eq!(best(&names, "xyz"), Vec::<&str>::new());
        assert_eq!(best(&names, " ").len(), names.len());
    }

    #[test]
    fn names_in_any_script_match() {
        assert_eq!(best(&["Модуль.λ'", "", "(fun)"], "модуль"), ["Модуль.λ'"]);
        assert_eq!(best(&["Модуль.λ'", "", "(fun)"], "fun"), ["(fun)"]);
    }
}
