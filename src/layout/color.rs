//! A module's colour: the same in every view and in every trace, since it is made of the name alone. Library code is pale,
//! so that the program's own modules carry the colour.

use super::names;

/// What colour something has, before a theme makes it light or dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tint {
    /// Degrees on the colour wheel.
    Module {
        hue: u16,
    },
    Library,
}

/// The colour of a function, by its module.
pub fn of_function(name: &str) -> Tint {
    if is_library(name) {
        return Tint::Library;
    }
    let plain = names::plain(name);
    let module = match names::module_end(&plain) {
        0 => plain.as_str(),
        end => &plain[..end],
    };
    Tint::Module { hue: hue(module) }
}

/// The colour of a file.
pub fn of_file(file: &str) -> Tint {
    if file.is_empty() || file == "??" { Tint::Library } else { Tint::Module { hue: hue(file) } }
}

/// Whether a function belongs to OCaml's own library or to its runtime.
pub fn is_library(name: &str) -> bool {
    let first = name.split(['.', '$']).next().unwrap_or_default();
    first == "Stdlib"
        || first.starts_with("Stdlib__")
        || first.starts_with("Camlinternal")
        || name.starts_with(['$', '<', '('])
        || name.is_empty()
}

/// Hues are steps of 15°, so that two modules look either alike or different. FNV-1a spreads short names well.
fn hue(name: &str) -> u16 {
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    ((hash >> 32) % 24) as u16 * 15
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_has_one_colour_and_the_library_none() {
        assert_eq!(of_function("Orders.Json.print"), of_function("Orders.Json.to_string.(fun)"));
        assert_ne!(of_function("Orders.Json.print"), of_function("Orders.Session.visit"));
        assert_eq!(of_function("Dune__exe__Front.run"), of_function("Front.load"));
        for library in ["Stdlib__List.map", "Stdlib.failwith", "CamlinternalFormat.make_printf", "$4711", ""] {
            assert_eq!(of_function(library), Tint::Library, "{library}");
        }
    }
}
