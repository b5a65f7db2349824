//! Configuration from `index.html` and the page's URL: the URLs of files whose names the build hashes, the memory
//! limit, and the traces to open.

use web_sys::Url;

use camlscope_present::format;
use camlscope_view::fields;
use camlscope_view::page::platform::page_config::NamedTrace;

/// Returns the URL in `<meta name="…">`.
pub fn address(name: &str) -> Option<String> {
    let meta = gloo::utils::document().query_selector(&format!("meta[name={name}]")).ok().flatten()?;
    meta.get_attribute("content").filter(|content| !content.is_empty())
}

/// Returns the memory limit for a model from the page's URL (`?memory=3G`).
pub fn memory() -> Option<u64> {
    format::parse_bytes(&parameter("memory")?).ok()
}

const TRACE: &str = "trace";
/// A second trace to compare the first one with.
const COMPARE: &str = "compare";
/// Whether a program is still writing the trace.
const FOLLOW: &str = "follow";

/// The parameters about the trace in the page's URL.
pub const ABOUT_TRACE: [&str; 3] = [TRACE, COMPARE, FOLLOW];

pub fn named_trace() -> Option<NamedTrace> {
    named(TRACE)
}

pub fn compared_trace() -> Option<NamedTrace> {
    named(COMPARE)
}

/// Whether to load what a program adds to the trace in the page's URL (`?trace=…&follow=1`).
pub fn is_followed() -> bool {
    parameter(FOLLOW).is_some_and(|value| value == "1") && parameter(COMPARE).is_none()
}

fn named(parameter_name: &str) -> Option<NamedTrace> {
    let name = parameter(parameter_name).filter(|name| !name.is_empty())?;
    let location = gloo::utils::window().location();
    let base = gloo::utils::document().base_uri().ok().flatten().unwrap_or_default();
    let url = Url::new_with_base(&name, &base).ok();
    let is_same_host = |url: &Url| url.protocol().starts_with("http") && location.origin().ok() == Some(url.origin());
    Some(url.filter(is_same_host).map_or(NamedTrace::Elsewhere(name), |url| NamedTrace::SameHost(url.href())))
}

/// Returns the last value of a URL parameter.
fn parameter(name: &str) -> Option<String> {
    let search = gloo::utils::window().location().search().ok()?;
    fields::read(&search).rfind(|(key, _)| *key == name).map(|(_, value)| value)
}
