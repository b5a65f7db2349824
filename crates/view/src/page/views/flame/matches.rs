//! Steps through search matches.

/// Returns the place of the next or the previous of `n` matches. The last is followed by the first.
pub fn next(at: Option<usize>, n: usize, is_forward: bool) -> Option<usize> {
    let last = n.checked_sub(1)?;
    Some(match (at, is_forward) {
        (Some(at), true) if at < last => at + 1,
        (_, true) => 0,
        (Some(at), false) if at > 0 => (at - 1).min(last),
        (_, false) => last,
    })
}

#[cfg(test)]
mod tests {
    use super::next;

    #[test]
    fn steps_go_around_in_both_directions() {
        let walk = |is_forward, at| next(at, 3, is_forward);
        assert_eq!([None, Some(0), Some(2)].map(|at| walk(true, at)), [Some(0), Some(1), Some(0)]);
        assert_eq!([None, Some(0), Some(2)].map(|at| walk(false, at)), [Some(2), Some(2), Some(1)]);
        assert_eq!([next(None, 0, true), next(Some(4), 0, false)], [None, None]);
    }
}
