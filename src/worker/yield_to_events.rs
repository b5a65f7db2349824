//! Lets the browser's event loop run, so that the worker receives messages.

use js_sys::Promise;
use wasm_bindgen::{JsValue, throw_val};
use wasm_bindgen_futures::JsFuture;
use web_sys::MessageChannel;

/// Returns after the event loop has run once. Browsers delay nested timers by 4 ms, so this posts a message to itself
/// instead, which arrives immediately.
pub(super) async fn yield_to_events() {
    if let Err(error) = message_to_oneself().await {
        throw_val(error);
    }
}

async fn message_to_oneself() -> Result<(), JsValue> {
    let channel = MessageChannel::new()?;
    let heard = Promise::new(&mut |resolve, _| channel.port2().set_onmessage(Some(&resolve)));
    channel.port1().post_message(&JsValue::NULL)?;
    JsFuture::from(heard).await?;
    channel.port1().close();
    Ok(())
}
