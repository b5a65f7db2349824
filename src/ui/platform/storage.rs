//! The user's choices that the browser keeps, one word each. If it keeps nothing, the choices last until the page closes.

use web_sys::Storage;

use camlscope_present::format::Units;

const UNITS_KEY: &str = "camlscope.units";
const DECIMAL: &str = "1000";

/// Empty if nothing is stored.
pub fn recall(key: &str) -> String {
    storage().and_then(|storage| storage.get_item(key).ok().flatten()).unwrap_or_default()
}

/// An empty word removes what is stored.
pub fn remember(key: &str, word: &str) {
    if let Some(storage) = storage() {
        let _ = if word.is_empty() { storage.remove_item(key) } else { storage.set_item(key, word) };
    }
}

pub fn remembered_units() -> Units {
    if recall(UNITS_KEY) == DECIMAL { Units::Decimal } else { Units::Binary }
}

pub fn remember_units(units: Units) {
    remember(UNITS_KEY, if units == Units::Decimal { DECIMAL } else { "" });
}

fn storage() -> Option<Storage> {
    gloo::utils::window().local_storage().ok().flatten()
}
