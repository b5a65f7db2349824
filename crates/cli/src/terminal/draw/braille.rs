//! Stacked layers in braille, with two by four dots per character. Each layer has its own pattern, so that layers can
//! be distinguished without colors.

/// The dots of a character by row, from the top, and column.
const DOTS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

/// A character, and the layer that most of its dots belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    pub symbol: char,
    pub layer: Option<usize>,
}

/// `layers` are stacked from bottom to top, each with a value for each column of dots. `max` is the top.
pub fn stacked(layers: &[&[f64]], max: f64, width: usize, height: usize) -> Vec<Vec<Cell>> {
    let n_dots = 4 * height;
    let level = |value: f64| if max > 0.0 { (value / max * n_dots as f64).round() as usize } else { 0 };
    // For each column of dots, the top of each layer.
    let tops: Vec<Vec<usize>> = (0..2 * width)
        .map(|x| {
            let mut sum = 0.0;
            let top = |layer: &&[f64]| {
                sum += layer.get(x).copied().unwrap_or(0.0);
                level(sum).min(n_dots)
            };
            layers.iter().map(top).collect()
        })
        .collect();
    let layer_at = |x: usize, y: usize| tops[x].iter().position(|&top| y < top);
    let cell = |column: usize, row: usize| {
        let mut dots = 0;
        let mut of_layer = vec![0_u8; layers.len()];
        for (line, masks) in DOTS.iter().enumerate() {
            for (side, mask) in masks.iter().enumerate() {
                let (x, y) = (2 * column + side, n_dots - 1 - (4 * row + line));
                if let Some(layer) = layer_at(x, y) {
                    of_layer[layer] += 1;
                    let is_edge = tops[x].last() == Some(&(y + 1));
                    if is_edge || is_dot(layer, x, y) {
                        dots |= mask;
                    }
                }
            }
        }
        let layer = of_layer.iter().enumerate().max_by_key(|(_, n)| **n).filter(|(_, n)| **n > 0);
        Cell { symbol: char::from_u32(0x2800 + u32::from(dots)).unwrap_or(' '), layer: layer.map(|(layer, _)| layer) }
    };
    (0..height).map(|row| (0..width).map(|column| cell(column, row)).collect()).collect()
}

/// The maximum number of layers: the named ones, others, and what a profile doesn't attribute.
const N_PATTERNS: usize = 7;

/// Returns whether the pattern of a layer has a dot here.
fn is_dot(layer: usize, x: usize, y: usize) -> bool {
    match layer % N_PATTERNS {
        0 => true,
        1 => (x + y).is_multiple_of(2),
        2 => y.is_multiple_of(2),
        3 => x.is_multiple_of(2),
        4 => y.is_multiple_of(3),
        5 => x.is_multiple_of(2) && y.is_multiple_of(2),
        _ => (x + y).is_multiple_of(4),
    }
}

/// Returns a character with the pattern of a layer, for legends.
pub fn sample(layer: usize) -> char {
    let mut dots = 0;
    for (line, masks) in DOTS.iter().enumerate() {
        for (side, mask) in masks.iter().enumerate() {
            if is_dot(layer, side, 3 - line) {
                dots |= u32::from(*mask);
            }
        }
    }
    char::from_u32(0x2800 + dots).unwrap_or(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_fills_only_its_own_dots() {
        let text = |layers: &[&[f64]]| -> Vec<String> {
            let rows = stacked(layers, 2.0, 2, 2);
            rows.iter().map(|row| row.iter().map(|cell| cell.symbol).collect()).collect()
        };
        assert_eq!(text(&[&[2.0, 2.0, 1.0, 0.0]]), ["⣿⠀", "⣿⡇"]);
        assert_eq!(text(&[&[0.0; 4]]), ["⠀⠀", "⠀⠀"]);
        // The second layer has its own pattern, and its upper edge is solid.
        assert_eq!(text(&[&[1.0; 4], &[1.0; 4]]), ["⡫⡫", "⣿⣿"]);
    }

    #[test]
    fn every_layer_has_a_distinct_pattern() {
        let samples: std::collections::BTreeSet<char> = (0..N_PATTERNS).map(sample).collect();
        assert_eq!(samples.len(), N_PATTERNS);
    }
}
