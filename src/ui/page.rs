//! What `index.html` tells the app: the addresses of worker and sample, which the build gives hashed names.

use web_sys::Url;

/// The address in `<meta name="camlscope-worker">`, whole, so that it can be used from anywhere.
pub fn worker_url() -> Option<String> {
    let base = gloo::utils::document().base_uri().ok().flatten()?;
    Url::new_with_base(&address("camlscope-worker")?, &base).ok().map(|url| url.href())
}

/// The address in `<meta name="camlscope-sample">`.
pub fn sample_url() -> Option<String> {
    address("camlscope-sample")
}

fn address(name: &str) -> Option<String> {
    let meta = gloo::utils::document().query_selector(&format!("meta[name={name}]")).ok().flatten()?;
    meta.get_attribute("content").filter(|content| !content.is_empty())
}
