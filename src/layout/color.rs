//! A module's colour: the same in every view and in every trace, since it is made of the name alone. Library code is pale,
//! so that the program's own modules carry the colour.

use super::names;
use crate::query::label::file_of_line;
pub use crate::query::label::is_library;

/// What colour something has, before a theme makes it light or dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tint {
    /// Degrees on the colour wheel; of each hue there is a pale and a deep tone.
    Module {
        hue: u16,
        is_deep: bool,
    },
    Library,
}

/// The colour of a function, by its module.
pub fn of_function(name: &str) -> Tint {
    if is_library(name) {
        return Tint::Library;
    }
    // A profile names frames by their lines: those of a file have its colour.
    if let Some(file) = file_of_line(name) {
        return of_file(file);
    }
    let plain = names::plain(name);
    let module = match names::module_end(&plain) {
        0 => plain.as_str(),
        end => &plain[..end],
    };
    tint(module)
}

/// The colour of a file.
pub fn of_file(file: &str) -> Tint {
    if file.is_empty() || file == "??" { Tint::Library } else { tint(file) }
}

/// The colour of the nth of several lines that are told apart, whatever their files: neighbours are far apart.
pub fn of_line(nth: usize) -> Tint {
    Tint::Module { hue: (nth * 150 % 360) as u16 + 10, is_deep: nth % 2 == 1 }
}

/// One of twelve hues in one of two tones: two modules look alike or clearly different, never nearly alike. FNV-1a spreads
/// short names well.
fn tint(name: &str) -> Tint {
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    let choice = (hash >> 54) % 24;
    Tint::Module { hue: (choice / 2) as u16 * 30 + 10, is_deep: choice % 2 == 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_has_one_colour_and_the_library_none() {
        assert_eq!(of_function("Orders.Json.print"), of_function("Orders.Json.to_string.(fun)"));
        assert_ne!(of_function("Orders.Json.print"), of_function("Orders.Session.visit"));
        assert_eq!(of_function("Dune__exe__Front.run"), of_function("Front.load"));
        assert_eq!(of_function("leak.ml:4"), of_function("leak.ml:11"));
        assert_eq!(of_function("list.ml:67"), Tint::Library);
        for library in ["Stdlib__List.map", "Stdlib.failwith", "CamlinternalFormat.make_printf", "$4711", ""] {
            assert_eq!(of_function(library), Tint::Library, "{library}");
        }
    }
}
