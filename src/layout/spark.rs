//! A curve as a small picture beside its figures: no axes, only its shape.

/// Path data of the line and of the area below it, from 0 up; none where there is nothing to see.
pub fn paths(values: &[f64], width: f64, height: f64) -> Option<(String, String)> {
    let highest = values.iter().copied().fold(0.0, f64::max);
    if highest <= 0.0 || values.len() < 2 {
        return None;
    }
    // A line of 1 px has half of it on either side.
    let y = |value: f64| height - 1.0 - value.max(0.0) / highest * (height - 2.0);
    let mut line = String::new();
    for (at, &value) in values.iter().enumerate() {
        let first = if at == 0 { "M" } else { "L" };
        let x = at as f64 / (values.len() - 1) as f64 * width;
        line.push_str(&format!("{first}{x:.1} {:.1}", y(value)));
    }
    let area = format!("{line}L{width} {height}L0 {height}Z");
    Some((line, area))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_spans_its_picture_from_0_to_its_highest() {
        let (line, area) = paths(&[0.0, 5.0, 10.0], 100.0, 20.0).expect("a curve");
        assert_eq!(line, "M0.0 19.0L50.0 10.0L100.0 1.0");
        assert_eq!(area, "M0.0 19.0L50.0 10.0L100.0 1.0L100 20L0 20Z");
    }

    #[test]
    fn where_nothing_is_live_nothing_is_drawn() {
        assert_eq!(paths(&[0.0, 0.0], 100.0, 20.0), None);
        assert_eq!(paths(&[], 100.0, 20.0), None);
    }
}
