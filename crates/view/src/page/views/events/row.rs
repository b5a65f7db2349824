//! An object's lifetime as text.

use camlscope_engine::query::events::Life;
use camlscope_present::format;

/// Returns `allocated 0.17 s → promoted 0.2 s → collected 1.4 s, lived 1.23 s`.
pub fn life_in_words(life: &Life) -> String {
    let mut text = format!("allocated {}", format::elapsed_us(life.allocated_us));
    if let Some(us) = life.promoted_us {
        text.push_str(&format!(" → promoted {}", format::elapsed_us(us)));
    }
    match life.collected_us {
        Some(us) => {
            let lived = format::duration_us(us.saturating_sub(life.allocated_us));
            text.push_str(&format!(" → collected {}, lived {lived}", format::elapsed_us(us)));
        }
        None => text.push_str(" → never collected"),
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::query::events::Block;
    use camlscope_engine::query::tree::Label;

    #[test]
    fn a_lifetime_fits_on_one_line() {
        let block = Block { samples: 1, size_words: 2, source: "minor".to_owned(), domain: 0, stack: String::new() };
        let mut life = Life {
            allocated_us: 170_000,
            promoted_us: Some(200_000),
            collected_us: Some(1_400_000),
            site: Label::default(),
            block,
        };
        assert_eq!(life_in_words(&life), "allocated 0.17 s → promoted 0.2 s → collected 1.4 s, lived 1.23 s");
        (life.promoted_us, life.collected_us) = (None, None);
        assert_eq!(life_in_words(&life), "allocated 0.17 s → never collected");
    }
}
