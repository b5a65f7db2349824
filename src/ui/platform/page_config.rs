//! What `index.html` and the page's address configure: the addresses of worker and sample, whose names the build hashes, and
//! how much memory a trace may take.

use web_sys::Url;

use crate::format;

/// The address in `<meta name="camlscope-worker">`, whole, so that it can be used from anywhere.
pub fn worker_url() -> Option<String> {
    let base = gloo::utils::document().base_uri().ok().flatten()?;
    Url::new_with_base(&address("camlscope-worker")?, &base).ok().map(|url| url.href())
}

/// The address in `<meta name="camlscope-sample">`.
pub fn sample_url() -> Option<String> {
    address("camlscope-sample")
}

/// The memory that a model may take, where the page's own address says it: `?memory=3G`.
pub fn memory() -> Option<u64> {
    let search = gloo::utils::window().location().search().ok()?;
    let parameters = search.strip_prefix('?')?.split('&');
    let wish = parameters.filter_map(|parameter| parameter.strip_prefix("memory=")).next_back()?;
    format::parse_bytes(wish).ok()
}

fn address(name: &str) -> Option<String> {
    let meta = gloo::utils::document().query_selector(&format!("meta[name={name}]")).ok().flatten()?;
    meta.get_attribute("content").filter(|content| !content.is_empty())
}
