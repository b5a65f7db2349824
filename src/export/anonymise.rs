//! Names that say nothing, for traces that leave the house.
//!
//! Each part of a dotted name becomes a hash of its own, so that modules still group functions, and equal names stay
//! equal, in other traces too, so that they can be compared. Whoever guesses a name can find out whether it is there;
//! nobody can read it off.

use crate::trace::dice::mix;

/// `Orders.Session.add` → `M8ac1….M01f3….fe2b…`. The compiler's `(fun)`, of functions without a name, stays.
pub fn hidden_name(name: &str) -> String {
    let hidden = name.split('.').map(|part| match part.chars().next() {
        None => String::new(),
        Some(_) if part == "(fun)" => part.to_owned(),
        Some(first) if first.is_uppercase() => format!("M{}", hash(part)),
        Some(_) => format!("f{}", hash(part)),
    });
    hidden.collect::<Vec<_>>().join(".")
}

/// `src/session.ml` → `8c0d….ml`; that there is none stays so.
pub fn hidden_file(file: &str) -> String {
    if file.is_empty() { String::new() } else { format!("{}.ml", hash(file)) }
}

/// 40 bits: ten thousand names have the same one in 20,000 cases, and names of more than five letters cannot be told
/// from it alone.
fn hash(text: &str) -> String {
    let words = text.as_bytes().chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    let hash = words.fold(mix(text.len() as u64), |hash, word| mix(hash ^ word));
    format!("{:010x}", hash >> 24)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_still_group_functions_and_no_name_is_left() {
        let [a, b] = ["Orders.Session.add", "Orders.Session.drop"].map(hidden_name);
        assert_ne!(a, b);
        assert_eq!(a.rsplit_once('.').map(|(module, _)| module), b.rsplit_once('.').map(|(module, _)| module));
        assert!(!format!("{a}{b}").contains("Session"));
        assert_eq!(hidden_name("Orders.(fun)").rsplit_once('.').map(|(_, name)| name), Some("(fun)"));
        assert_eq!((hidden_name(""), hidden_file("")), (String::new(), String::new()));
        assert!(hidden_file("src/session.ml").ends_with(".ml"));
    }
}
