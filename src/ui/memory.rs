//! What the browser remembers of the reader's choices, one word each. One that forbids it loses the memory, nothing else.

use web_sys::Storage;

/// Empty where nothing is remembered.
pub fn recall(key: &str) -> String {
    storage().and_then(|storage| storage.get_item(key).ok().flatten()).unwrap_or_default()
}

/// An empty word is as if nothing had been chosen.
pub fn remember(key: &str, word: &str) {
    if let Some(storage) = storage() {
        let _ = if word.is_empty() { storage.remove_item(key) } else { storage.set_item(key, word) };
    }
}

fn storage() -> Option<Storage> {
    gloo::utils::window().local_storage().ok().flatten()
}
