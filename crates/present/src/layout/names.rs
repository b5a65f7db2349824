//! Plain names, shortened to fit.

use camlscope_engine::query::label::module_of;
pub use camlscope_engine::query::label::plain;

/// Fewer letters of a name are useless.
const FEWEST_LETTERS: usize = 2;

/// Shortens a plain name until it `fits`: the full name, then without outer modules (marked by `…`), then only the
/// function. Returns `None` if even that doesn't fit; see [`beginning`].
pub fn fitting(plain: &str, fits: impl Fn(&str) -> bool) -> Option<String> {
    if fits(plain) {
        return Some(plain.to_owned());
    }
    let own = own(plain);
    let modules: Vec<&str> = plain[..plain.len() - own.len()].split_terminator('.').collect();
    // Drops outer modules first, because the innermost ones are the most specific.
    for n_kept in (1..modules.len()).rev() {
        let inner = modules[modules.len() - n_kept..].join(".");
        let cut = format!("…{inner}.{own}");
        if fits(&cut) {
            return Some(cut);
        }
    }
    fits(own).then(|| own.to_owned())
}

/// Returns as many of the first letters of a name, followed by `…`, as `fits` allows, or `None` if these are too few to
/// be useful.
pub fn beginning(name: &str, fits: impl Fn(&str) -> bool) -> Option<String> {
    let cut = |n_letters: usize| name.chars().take(n_letters).chain(['…']).collect::<String>();
    let n_all = name.chars().count();
    if n_all <= FEWEST_LETTERS || !fits(&cut(FEWEST_LETTERS)) {
        return None;
    }
    // `enough` letters fit, `too_many` don't.
    let (mut enough, mut too_many) = (FEWEST_LETTERS, n_all);
    while too_many - enough > 1 {
        let middle = enough.midpoint(too_many);
        if fits(&cut(middle)) {
            enough = middle;
        } else {
            too_many = middle;
        }
    }
    Some(cut(enough))
}

/// Returns the function's own name, without its modules.
pub fn own(plain: &str) -> &str {
    &plain[own_start(plain)..]
}

/// Returns the start of the function's own name, after the modules. `run.(fun)` is one name.
fn own_start(plain: &str) -> usize {
    let end = module_end(plain);
    if end == 0 || end == plain.len() {
        // A module's initialization is named by the module's last part.
        return if end == 0 { 0 } else { plain.rfind('.').map_or(0, |dot| dot + 1) };
    }
    end + 1
}

/// Returns the length of the module path: the leading parts that start with a capital.
pub(super) fn module_end(name: &str) -> usize {
    module_of(name).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fitting_drops_modules_but_keeps_the_function_name() {
        let at_most = |n: usize| move |text: &str| text.chars().count() <= n;
        let name = "Orders.Server.Json.print.(fun)";
        assert_eq!(fitting(name, at_most(40)).as_deref(), Some(name));
        assert_eq!(fitting(name, at_most(25)).as_deref(), Some("…Server.Json.print.(fun)"));
        assert_eq!(fitting(name, at_most(20)).as_deref(), Some("…Json.print.(fun)"));
        assert_eq!(fitting(name, at_most(12)).as_deref(), Some("print.(fun)"));
        assert_eq!(fitting(name, at_most(6)), None);
        assert_eq!(fitting("Orders.Server", at_most(8)).as_deref(), Some("Server"));
    }

    #[test]
    fn the_start_of_a_name_is_as_long_as_fits() {
        let at_most = |n: usize| move |text: &str| text.chars().count() <= n;
        for room in 3..14 {
            let cut = beginning("type_structure", at_most(room)).expect("some letters fit");
            assert_eq!(cut.chars().count(), room);
            assert!("type_structure".starts_with(cut.trim_end_matches('…')));
        }
        assert_eq!(beginning("type_structure", at_most(2)), None);
        assert_eq!(beginning("f", at_most(9)), None);
        assert_eq!(own("Orders.Server.Json.print.(fun)"), "print.(fun)");
    }
}
