//! The attempts to find a filter clause to disable when nothing passes the filter.

use crate::{Chip, ViewState};
use camlscope_present::words;

/// A filter with fewer clauses.
#[derive(Debug)]
pub struct Attempt {
    /// The clauses that it disables.
    pub words: String,
    pub chips: Vec<Chip>,
}

/// Returns the attempts in order. `implied_chip` belongs to the measure and is kept.
pub fn attempts(view_state: &ViewState, implied_chip: Option<usize>) -> Vec<Attempt> {
    let chips = &view_state.chips;
    let on: Vec<usize> = (0..chips.len()).filter(|at| chips[*at].is_on && Some(*at) != implied_chip).collect();
    let without = |off: &[usize]| {
        let switched =
            chips.iter().enumerate().map(|(at, chip)| Chip { is_on: chip.is_on && !off.contains(&at), ..chip.clone() });
        switched.collect()
    };
    let single = on.iter().rev().map(|at| Attempt {
        words: format!("“{}”", words::filter::clause(&chips[*at].clause)),
        chips: without(&[*at]),
    });
    let all = (on.len() > 1).then(|| Attempt { words: "all filters".to_owned(), chips: without(&on) });
    single.chain(all).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_clause_is_tried_first_and_all_of_them_last() {
        let view_state = ViewState::from_hash("show=blocks&live-at=peak&size=3..&off.lifetime=1s..&function-is=f");
        let tried: Vec<(String, Vec<bool>)> = attempts(&view_state, Some(0))
            .into_iter()
            .map(|attempt| (attempt.words, attempt.chips.iter().map(|chip| chip.is_on).collect()))
            .collect();
        let words = |at: usize| format!("“{}”", words::filter::clause(&view_state.chips[at].clause));
        let expected = [
            (words(3), vec![true, true, false, false]),
            (words(1), vec![true, false, false, true]),
            ("all filters".to_owned(), vec![true, false, false, false]),
        ];
        assert_eq!(tried, expected);
    }
}
