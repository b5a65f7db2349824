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

/// Lightness and chroma of each tone. Text on all of them is dark.
const LIGHT: [(f64, f64); TONES] = [(0.85, 0.09), (0.77, 0.12), (0.68, 0.14)];
const DARK: [(f64, f64); TONES] = [(0.88, 0.09), (0.75, 0.13), (0.62, 0.14)];

/// Returns a module's color as CSS.
pub fn oklch(hue: u16, tone: u8, is_dark: bool) -> String {
    let tones = if is_dark { DARK } else { LIGHT };
    let (lightness, chroma) = tones[usize::from(tone).min(TONES - 1)];
    format!("oklch({:.0}% {chroma} {hue})", lightness * 100.0)
}

/// Returns the same color as red, green and blue, for terminals.
pub fn rgb(hue: u16, tone: u8, is_dark: bool) -> [u8; 3] {
    let tones = if is_dark { DARK } else { LIGHT };
    let linear = linear_rgb(tones[usize::from(tone).min(TONES - 1)], hue);
    linear.map(|part| {
        let shown = if part <= 0.003_130_8 { 12.92 * part } else { 1.055 * part.powf(1.0 / 2.4) - 0.055 };
        (shown * 255.0).round() as u8
    })
}

/// Converts a lightness, chroma and hue of OKLCH to linear RGB.
fn linear_rgb((lightness, chroma): (f64, f64), hue: u16) -> [f64; 3] {
    let to_cone =
        [[1.0, 0.3963377774, 0.2158037573], [1.0, -0.1055613458, -0.0638541728], [1.0, -0.0894841775, -1.2914855480]];
    let to_rgb = [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ];
    let (sin, cos) = f64::from(hue).to_radians().sin_cos();
    let cone = times(to_cone, [lightness, chroma * cos, chroma * sin]);
    times(to_rgb, cone.map(|cone| cone.powi(3))).map(|part| part.clamp(0.0, 1.0))
}

fn times(matrix: [[f64; 3]; 3], vector: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum())
}

/// The tone of each hue in the first round. Of all choices without dark yellows, which look dirty, it is among those with
/// the largest distance between the two most similar colors, with and without color deficiencies, in both themes. The
/// colors include the grays that are drawn next to modules.
const TONE_OF_SLOT: [u8; HUES] = [1, 0, 2, 0, 1, 2, 0, 1, 2, 1, 0, 2];

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
    let tone = (usize::from(TONE_OF_SLOT[slot]) + round) % TONES;
    Tint::Module { hue: ((slot * DEGREES + between) % 360) as u16, tone: tone as u8 }
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

    /// The first twelve colors of a theme, as linear RGB.
    fn first_twelve(tones: [(f64, f64); TONES]) -> Vec<[f64; 3]> {
        let tints = (0..HUES).map(|slot| of_slot(slot, 0));
        let colors = tints.map(|tint| {
            let Tint::Module { hue, tone } = tint else { panic!("{tint:?} is no module's color") };
            linear_rgb(tones[usize::from(tone)], hue)
        });
        colors.collect()
    }

    fn oklab(rgb: [f64; 3]) -> [f64; 3] {
        let to_cone = [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ];
        let to_lab = [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ];
        times(to_lab, times(to_cone, rgb).map(f64::cbrt))
    }

    /// How colors look with normal vision, protanopia, deuteranopia and tritanopia (Machado, Oliveira and Fernandes,
    /// 2009).
    const SIGHTS: [[[f64; 3]; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    ];

    /// The grays that a module's color may be next to, in light and in dark mode: the background, library code, merged
    /// boxes, and the layer of all others. They are those of `www/style.css`.
    const GRAYS: [[u32; 4]; 2] = [[0xffffff, 0xe4eaf1, 0xe6e7e9, 0xdfe3e8], [0x191c20, 0x272d35, 0x2d3238, 0x5a636d]];

    fn linear(hex: u32) -> [f64; 3] {
        let [_, red, green, blue] = hex.to_be_bytes();
        [red, green, blue].map(|part| match f64::from(part) / 255.0 {
            part if part <= 0.040_45 => part / 12.92,
            part => ((part + 0.055) / 1.055).powf(2.4),
        })
    }

    #[test]
    fn twelve_modules_and_grays_can_be_told_apart_with_any_color_vision() {
        for (tones, grays) in [LIGHT, DARK].into_iter().zip(GRAYS) {
            let colors = [first_twelve(tones), grays.map(linear).to_vec()].concat();
            for sight in SIGHTS {
                let seen: Vec<[f64; 3]> =
                    colors.iter().map(|&rgb| oklab(times(sight, rgb).map(|part| part.clamp(0.0, 1.0)))).collect();
                for (at, a) in seen[..HUES].iter().enumerate() {
                    for (other, b) in seen.iter().enumerate().skip(at + 1) {
                        let apart = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                        assert!(apart > 0.038, "colors {at} and {other} are only {apart:.3} apart");
                    }
                }
            }
        }
    }

    #[test]
    fn grays_are_those_of_the_page() {
        let style = concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/style.css");
        let style = std::fs::read_to_string(style).expect("the page's style sheet");
        for (at, name) in ["surface", "flame-library", "other", "rest"].into_iter().enumerate() {
            let color = format!("--{name}: light-dark(#{:06x}, #{:06x});", GRAYS[0][at], GRAYS[1][at]);
            assert!(style.contains(&color), "the style sheet has no {color}");
        }
    }

    #[test]
    fn colors_in_a_terminal_are_those_of_the_page() {
        // CSS defines red as oklch(62.8% 0.2577 29.23).
        let [red, green, blue] = linear_rgb((0.628, 0.2577), 29);
        assert!(red > 0.99 && green < 0.01 && blue < 0.01, "{red} {green} {blue}");
        assert_eq!(oklch(0, 1, true), "oklch(75% 0.13 0)");
        assert_eq!(rgb(0, 1, true), [240, 137, 170]);
    }

    #[test]
    fn text_on_a_module_has_enough_contrast() {
        let luminance = |[r, g, b]: [f64; 3]| 0.2126 * r + 0.7152 * g + 0.0722 * b;
        // #14171a
        let ink = luminance([0.0070, 0.0086, 0.0103]);
        for rgb in [LIGHT, DARK].into_iter().flat_map(first_twelve) {
            let contrast = (luminance(rgb) + 0.05) / (ink + 0.05);
            assert!(contrast >= 4.5, "only {contrast:.2}");
        }
    }
}
