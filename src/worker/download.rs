//! A file of the page's own host. The page's policy lets the worker ask no other.

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{DedicatedWorkerGlobalScope, ReadableStream, RequestCache, RequestInit, Response};

use camlscope_engine::format;
use camlscope_engine::protocol::UserError;

pub(super) struct Download {
    address: String,
    response: Response,
}

impl Download {
    /// Returns once the host has answered. The browser keeps no copy.
    pub(super) async fn start(scope: &DedicatedWorkerGlobalScope, address: String) -> Result<Download, UserError> {
        let options = RequestInit::new();
        options.set_cache(RequestCache::NoStore);
        let answer = JsFuture::from(scope.fetch_with_str_and_init(&address, &options)).await;
        let Ok(answer) = answer else {
            let why = "the host did not answer, or led to another host, which this page may not ask";
            return Err(UserError::not_fetched(&address, why));
        };
        let response: Response = answer.unchecked_into();
        match response.status() {
            _ if response.ok() => Ok(Download { address, response }),
            404 | 410 => Err(UserError::not_fetched(&address, "there is no such file")),
            status => Err(UserError::not_fetched(&address, &format!("the host answered {status}"))),
        }
    }

    pub(super) fn stream(&self) -> Result<ReadableStream, UserError> {
        self.response.body().ok_or_else(|| UserError::not_fetched(&self.address, "the answer is empty"))
    }

    /// `None` where the host packs what it sends: then it says how long the packed bytes are.
    pub(super) fn bytes_total(&self) -> Option<u64> {
        let header = |name| self.response.headers().get(name).ok().flatten();
        header("content-length").filter(|_| header("content-encoding").is_none())?.parse().ok()
    }

    pub(super) fn broke_off(&self, offset: u64) -> UserError {
        let why = format!("the connection broke off after {}", format::bytes(offset as f64));
        UserError::not_fetched(&self.address, &why)
    }
}
