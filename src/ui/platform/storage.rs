//! User settings that the browser stores, one word each. If it can't store them, they last until the page is closed.

use web_sys::Storage;

use camlscope_present::format::Units;

const UNITS_KEY: &str = "camlscope.units";
const DECIMAL: &str = "1000";

/// Returns an empty string if nothing is stored.
pub fn recall(key: &str) -> String {
    storage().and_then(|storage| storage.get_item(key).ok().flatten()).unwrap_or_default()
}

/// An empty word removes the entry.
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
