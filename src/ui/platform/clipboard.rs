//! The clipboard, which the browser may block.

use wasm_bindgen_futures::{JsFuture, spawn_local};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotCopied {
    /// The clipboard is only available in secure contexts (HTTPS or localhost).
    Insecure,
    Refused,
}

impl NotCopied {
    pub fn words(self) -> &'static str {
        match self {
            NotCopied::Insecure => "This page can't use the clipboard, because it isn't served over HTTPS.",
            NotCopied::Refused => "The browser blocked copying.",
        }
    }
}

/// Copies the text and passes the outcome to `then`.
pub fn copy(text: &str, then: impl FnOnce(Result<(), NotCopied>) + 'static) {
    let window = gloo::utils::window();
    if !window.is_secure_context() {
        return then(Err(NotCopied::Insecure));
    }
    let copied = JsFuture::from(window.navigator().clipboard().write_text(text));
    spawn_local(async move { then(copied.await.map(drop).map_err(|_| NotCopied::Refused)) });
}
