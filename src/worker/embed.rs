//! A copy of the main trace for a report.

use js_sys::{Array, Uint8Array};
use web_sys::Blob;

use camlscope_engine::protocol::{Error, Slot};
use camlscope_engine::query::filter::{self, Filter};
use camlscope_engine::query::profile::{NotInProfile, ObjectData};
use camlscope_engine::session::Session;
use camlscope_engine::trace::Whole;
use camlscope_present::export::{EmbedConfig, Keep, embed_trace};

/// Returns the copy as base64, and the original trace's totals.
pub(super) fn embed(
    session: &Session,
    filter: &Filter,
    max_bytes: u64,
    is_anonymized: bool,
) -> Result<(Whole, Blob), Error> {
    let trace = session.trace(Slot::Main).ok_or(NotInProfile::Objects(ObjectData::Objects))?;
    let selection = filter::select(trace, filter)?;
    let config = EmbedConfig { max_bytes, anonymize: is_anonymized.then(Keep::default) };
    let embedded = embed_trace(trace, &selection, config).map_err(|error| Error::NotEmbedded(error.to_string()))?;
    let bytes = Uint8Array::from(&embedded.base64[..]);
    let copy = Blob::new_with_u8_array_sequence(&Array::of1(&bytes));
    Ok((embedded.whole, copy.map_err(|_| Error::NotEmbedded("it's too large for the browser's memory".to_owned()))?))
}
