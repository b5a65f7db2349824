//! What `index.html` and the page's address configure: the addresses of other files, whose names the build hashes, how much
//! memory a trace may take, and which trace to open.

use web_sys::Url;

use camlscope_present::format;
use camlscope_view::fields;

/// The address in `<meta name="…">`.
pub fn address(name: &str) -> Option<String> {
    let meta = gloo::utils::document().query_selector(&format!("meta[name={name}]")).ok().flatten()?;
    meta.get_attribute("content").filter(|content| !content.is_empty())
}

/// The memory that a model may take, where the page's own address says it: `?memory=3G`.
pub fn memory() -> Option<u64> {
    format::parse_bytes(&parameter("memory")?).ok()
}

/// The parameter that names a trace.
pub const TRACE: &str = "trace";

/// A file that the page's own address names, behind `?trace=`.
pub enum NamedTrace {
    /// The whole address of a file on the page's own host.
    Beside(String),
    /// What the address says, if that is anywhere else.
    Elsewhere(String),
}

pub fn named_trace() -> Option<NamedTrace> {
    let name = parameter(TRACE).filter(|name| !name.is_empty())?;
    let location = gloo::utils::window().location();
    let base = gloo::utils::document().base_uri().ok().flatten().unwrap_or_default();
    let url = Url::new_with_base(&name, &base).ok();
    let is_beside = |url: &Url| url.protocol().starts_with("http") && location.origin().ok() == Some(url.origin());
    Some(url.filter(is_beside).map_or(NamedTrace::Elsewhere(name), |url| NamedTrace::Beside(url.href())))
}

/// The last value that the page's address gives a parameter.
fn parameter(name: &str) -> Option<String> {
    let search = gloo::utils::window().location().search().ok()?;
    fields::read(&search).rfind(|(key, _)| *key == name).map(|(_, value)| value)
}
