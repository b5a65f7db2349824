//! Downloads a file from the page's own server. The content security policy blocks all other hosts.

use js_sys::Uint8Array;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{DedicatedWorkerGlobalScope, Headers, ReadableStream, RequestCache, RequestInit, Response};

use camlscope_engine::protocol::{Error, FetchError};

pub(super) struct Download {
    address: String,
    response: Response,
}

impl Download {
    /// Returns once the server has responded. The browser doesn't cache the file. `part` is the value of a `Range` header.
    pub(super) async fn start(
        scope: &DedicatedWorkerGlobalScope,
        address: String,
        part: Option<&str>,
    ) -> Result<Download, Error> {
        let options = RequestInit::new();
        options.set_cache(RequestCache::NoStore);
        if let Some(part) = part
            && let Ok(headers) = Headers::new()
            && headers.set("Range", part).is_ok()
        {
            options.set_headers(&headers);
        }
        let answer = JsFuture::from(scope.fetch_with_str_and_init(&address, &options)).await;
        let Ok(answer) = answer else {
            return Err(Error::NotFetched { address, why: FetchError::NoAnswer });
        };
        let response: Response = answer.unchecked_into();
        match response.status() {
            _ if response.ok() => Ok(Download { address, response }),
            404 | 410 => Err(Error::NotFetched { address, why: FetchError::NotFound }),
            status => Err(Error::NotFetched { address, why: FetchError::Status(status) }),
        }
    }

    pub(super) fn stream(&self) -> Result<ReadableStream, Error> {
        self.response.body().ok_or_else(|| self.failed(FetchError::Empty))
    }

    /// Returns the size of the file that this is a part of, or `None` if the server has sent the whole file.
    pub(super) fn part_of(&self) -> Option<u64> {
        let range = self.response.headers().get("content-range").ok().flatten()?;
        range.rsplit_once('/')?.1.parse().ok().filter(|_| self.response.status() == 206)
    }

    pub(super) async fn bytes(&self) -> Option<Vec<u8>> {
        let buffer = JsFuture::from(self.response.array_buffer().ok()?).await.ok()?;
        Some(Uint8Array::new(&buffer).to_vec())
    }

    /// Returns `None` if the server compresses the response, because the header then has the compressed length.
    pub(super) fn bytes_total(&self) -> Option<u64> {
        let header = |name| self.response.headers().get(name).ok().flatten();
        header("content-length").filter(|_| header("content-encoding").is_none())?.parse().ok()
    }

    pub(super) fn broke_off(&self, offset: u64) -> Error {
        self.failed(FetchError::BrokenOff { offset })
    }

    fn failed(&self, why: FetchError) -> Error {
        Error::NotFetched { address: self.address.clone(), why }
    }
}
