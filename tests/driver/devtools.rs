//! A direct connection to a tab of Chromium.
//!
//! Chromium's driver makes some fifteen DevTools commands of each of its own. For a click, it makes 80, and compiles 200 KB of
//! JavaScript. So the commands that tests send most often go directly to the tab.

use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use crate::browser::Refused;

#[derive(Debug)]
pub struct Tab {
    socket: WebSocket<TcpStream>,
    n_sent: u64,
}

impl Tab {
    /// `address` is where the browser accepts DevTools connections. WebDriver's handles of tabs are also DevTools' IDs.
    pub fn connect(address: &str, handle: &str, limit: Duration) -> Result<Tab> {
        let stream = TcpStream::connect(address).context("connecting to the browser")?;
        // Commands are short, and each waits for the previous one.
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(limit))?;
        let url = format!("ws://{address}/devtools/page/{handle}");
        let (socket, _) = tungstenite::client(url, stream).context("connecting to a tab")?;
        let mut tab = Tab { socket, n_sent: 0 };
        // Scripts for new documents need it.
        tab.command("Page.enable", &json!({}))?;
        Ok(tab)
    }

    pub fn command(&mut self, command: &str, parameters: &Value) -> Result<Value> {
        self.n_sent += 1;
        let message = json!({ "id": self.n_sent, "method": command, "params": parameters });
        self.socket.send(Message::text(message.to_string()))?;
        loop {
            let Message::Text(text) = self.socket.read().with_context(|| format!("waiting for {command}"))? else {
                continue;
            };
            let mut answer: Value = serde_json::from_str(&text)?;
            // Everything else is an event.
            if answer["id"] == self.n_sent {
                if let Some(message) = answer["error"]["message"].as_str() {
                    bail!(Refused::new(command, message));
                }
                return Ok(answer["result"].take());
            }
        }
    }

    /// Evaluates the body of a function in the page. If it returns a promise, waits for its result. Returns `None` if the script
    /// fails.
    pub fn run(&mut self, script: &str, arguments: &Value) -> Result<Option<Value>> {
        let expression = format!("(function () {{ {script}\n}}).apply(null, {arguments})");
        let wanted = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let mut answer = self.command("Runtime.evaluate", &wanted)?;
        Ok(answer.get("exceptionDetails").is_none().then(|| answer["result"]["value"].take()))
    }

    /// Clicks like a user. Fails if the element is hidden or covered. An option is chosen without opening its list, as WebDriver
    /// does.
    pub fn click(&mut self, xpath: &str) -> Result<()> {
        let place = self.run(PLACE_TO_CLICK, &json!([xpath]))?.context("looking for an element to click")?;
        if let Some(obstacle) = place.as_str() {
            bail!(Refused::new("not clickable", &format!("{xpath} {obstacle}")));
        }
        if place.is_null() {
            return Ok(());
        }
        for (kind, button, buttons) in
            [("mouseMoved", "none", 0), ("mousePressed", "left", 1), ("mouseReleased", "left", 0)]
        {
            let event = json!({
                "type": kind, "x": place[0], "y": place[1], "button": button, "buttons": buttons, "clickCount": 1,
            });
            self.command("Input.dispatchMouseEvent", &event)?;
        }
        Ok(())
    }
}

/// Resolves to the point in the middle of an element, in the viewport, or to why it can't be clicked. If it has to scroll, it waits
/// for two frames, because the page may draw other rows then. Chooses options, and resolves to `null` for them.
const PLACE_TO_CLICK: &str = "
    const find = () => document.evaluate(arguments[0], document, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue;
    const place = (element) => {
        if (!element) return 'does not exist';
        if (!element.checkVisibility({ visibilityProperty: true })) return 'is hidden';
        const [box] = element.getClientRects();
        if (!box) return 'is hidden';
        const [left, right] = [Math.max(0, box.left), Math.min(innerWidth, box.right)];
        const [top, bottom] = [Math.max(0, box.top), Math.min(innerHeight, box.bottom)];
        const middle = [(left + right) / 2, (top + bottom) / 2];
        return element.contains(document.elementFromPoint(...middle)) ? middle : 'is covered';
    };
    const choose = (option, list) => {
        list.focus();
        if (option.selected || option.disabled) return;
        option.selected = true;
        for (const kind of ['input', 'change']) list.dispatchEvent(new Event(kind, { bubbles: true }));
    };
    const frame = () => new Promise(requestAnimationFrame);
    return (async () => {
        const list = find()?.closest('option') && find().closest('select');
        if (list) return void choose(find(), list);
        if (place(find()) === 'is covered') {
            find().scrollIntoView({ behavior: 'instant', block: 'center', inline: 'nearest' });
            await frame().then(frame);
        }
        return place(find());
    })()";
