//! The colors of modules, the same in every view. A color is derived from the name, so it's usually the same in every
//! trace. If two modules would look alike, the less prominent one gets another color. Library code is pale, so that the
//! program's own modules stand out.

use std::collections::{HashMap, HashSet};

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::names;
use camlscope_engine::query::label::file_of_line;
pub use camlscope_engine::query::label::is_library;

/// A color, independent of the light or dark theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tint {
    /// Degrees on the color wheel. Each hue has several tones.
    Module {
        hue: u16,
        tone: u8,
    },
    Library,
}

const TONES: usize = 3;
const HUES: usize = 12;
const DEGREES: usize = 360 / HUES;

/// The colors of the modules and files in the open traces. All other names have the color derived from their letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModuleColors {
    modules: FxHashMap<String, Tint>,
    files: FxHashMap<String, Tint>,
}

static OWN_COLORS: ModuleColors =
    ModuleColors { modules: HashMap::with_hasher(FxBuildHasher), files: HashMap::with_hasher(FxBuildHasher) };

impl Default for &ModuleColors {
    fn default() -> Self {
        &OWN_COLORS
    }
}

impl ModuleColors {
    /// The most prominent names come first.
    pub fn new<'a>(modules: impl Iterator<Item = &'a str>, files: impl Iterator<Item = &'a str>) -> ModuleColors {
        ModuleColors { modules: distinct(modules.map(names::plain)), files: distinct(files.map(str::to_owned)) }
    }

    /// Returns the color of a function, by its module.
    pub fn of_function(&self, name: &str) -> Tint {
        if is_library(name) {
            return Tint::Library;
        }
        // In a profile, frames are lines. The lines of a file share its color.
        if let Some(file) = file_of_line(name) {
            return self.of_file(file);
        }
        let plain = names::plain(name);
        let module = match names::module_end(&plain) {
            0 => plain.as_str(),
            end => &plain[..end],
        };
        self.modules.get(module).copied().unwrap_or_else(|| of_slot(preferred(module), 0))
    }

    pub fn of_file(&self, file: &str) -> Tint {
        if file.is_empty() || file == "??" {
            return Tint::Library;
        }
        self.files.get(file).copied().unwrap_or_else(|| of_slot(preferred(file), 0))
    }
}

/// Returns a module's color as CSS. Text on it is readable in both themes.
pub fn oklch(hue: u16, tone: u8, is_dark: bool) -> String {
    const LIGHT: [&str; TONES] = ["87% .075", "78% .11", "69% .125"];
    const DARK: [&str; TONES] = ["52% .12", "44% .115", "36% .095"];
    let tones = if is_dark { DARK } else { LIGHT };
    format!("oklch({} {hue})", tones[usize::from(tone).min(TONES - 1)])
}

/// Returns the color of the nth of several distinct lines, regardless of their files. Neighbors have very different
/// colors.
pub fn of_line(nth: usize) -> Tint {
    of_slot(nth * APART % HUES, nth / HUES)
}

/// The step between hues: 150°, which visits every hue.
const APART: usize = 5;

/// Assigns a different color to each name. Names come in rounds of twelve, and no two names of a round share a hue. A
/// name gets the hue derived from its letters unless an earlier name in its round has it.
fn distinct(names: impl Iterator<Item = String>) -> FxHashMap<String, Tint> {
    let mut tints = FxHashMap::default();
    let mut taken = HashSet::new();
    for name in names {
        if tints.contains_key(&name) {
            continue;
        }
        let round = tints.len() / HUES;
        let mut slot = preferred(&name);
        // Each round has as many hues as names, so one is free.
        while !taken.insert((round, slot)) {
            slot = (slot + APART) % HUES;
        }
        tints.insert(name, of_slot(slot, round));
    }
    tints
}

/// FNV-1a distributes short names well.
fn preferred(name: &str) -> usize {
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    ((hash >> 54) % HUES as u64) as usize
}

/// Later rounds use other tones, then hues in between.
fn of_slot(slot: usize, round: usize) -> Tint {
    let between = round / TONES * 11 % DEGREES;
    let tone = (slot + round) % TONES;
    Tint::Module { hue: ((slot * DEGREES + 10 + between) % 360) as u16, tone: tone as u8 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_has_one_color_and_library_code_is_pale() {
        let of_function = |name| OWN_COLORS.of_function(name);
        assert_eq!(of_function("Orders.Json.print"), of_function("Orders.Json.to_string.(fun)"));
        assert_eq!(of_function("Dune__exe__Front.run"), of_function("Front.load"));
        assert_eq!(of_function("leak.ml:4"), of_function("leak.ml:11"));
        assert_eq!(of_function("list.ml:67"), Tint::Library);
        for library in ["Stdlib__List.map", "Stdlib.failwith", "CamlinternalFormat.make_printf", "$4711", ""] {
            assert_eq!(of_function(library), Tint::Library, "{library}");
        }
    }

    #[test]
    fn module_colors_are_distinct_and_the_first_twelve_share_no_hue() {
        let names: Vec<String> = (0..1000).map(|nth| format!("Module_{nth}")).collect();
        let tints = distinct(names.iter().cloned());
        let colors: HashSet<Tint> = tints.values().copied().collect();
        assert_eq!(colors.len(), names.len());
        let hue = |name: &String| if let Tint::Module { hue, .. } = tints[name] { hue } else { 0 };
        let hues: HashSet<u16> = names[..HUES].iter().map(hue).collect();
        assert_eq!(hues.len(), HUES);
        assert_eq!((0..36).map(of_line).collect::<HashSet<Tint>>().len(), 36);
    }

    #[test]
    fn modules_of_an_open_trace_get_distinct_colors() {
        let alike = ["Misc", "Interf", "Ctype", "Typecore", "Env", "Types", "Btype", "Ident", "Path", "Subst"];
        let colors = ModuleColors::new(alike.into_iter(), ["src/main.ml", "test/main.ml"].into_iter());
        let tints: HashSet<Tint> = alike.into_iter().map(|name| colors.of_function(name)).collect();
        assert_eq!(tints.len(), alike.len());
        assert_eq!(colors.of_function("Typecore.type_expect"), colors.of_function("Typecore"));
        assert_ne!(colors.of_file("src/main.ml"), colors.of_file("test/main.ml"));
    }
}
