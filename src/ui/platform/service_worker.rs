//! The service worker, which caches the page's own files so that it works offline. The page also works without it, for
//! example when it is opened from disk, over plain HTTP, or in a private window.

use std::rc::Rc;

use gloo::events::EventListener;
use js_sys::Reflect;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{ServiceWorkerContainer, ServiceWorkerRegistration, ServiceWorkerState};

use super::page_config;

/// Registers the service worker. Calls back when a new version of the page is ready, or has taken over in another
/// window.
pub async fn register(on_newer: impl Fn() + 'static) {
    // The single-file page has none.
    let Some(address) = page_config::address("camlscope-service-worker") else { return };
    let Some(container) = container() else { return };
    let on_newer = Rc::new(on_newer);
    // Without a controller, there is no older version.
    if let Some(older) = container.controller() {
        let (changed, on_newer) = (container.clone(), Rc::clone(&on_newer));
        let on_change = move |_: &_| {
            if changed.controller().is_some_and(|controller| controller != older) {
                on_newer();
            }
        };
        EventListener::new(&container, "controllerchange", on_change).forget();
    }
    let Ok(registered) = JsFuture::from(container.register(&address)).await else { return };
    let registration: ServiceWorkerRegistration = registered.unchecked_into();
    if registration.waiting().is_some() && has_older(&container, &registration) {
        on_newer();
    }
    let found = registration.clone();
    EventListener::new(&registration, "updatefound", move |_| report_installed(&container, &found, &on_newer)).forget();
}

/// Activates the new version and reloads the page.
pub async fn reload_newer() {
    let waiting = match container() {
        Some(container) => waiting(&container).await.map(|worker| (container, worker)),
        None => None,
    };
    match waiting {
        Some((container, worker)) => {
            EventListener::once(&container, "controllerchange", |_| reload()).forget();
            // A string can always be posted.
            let _ = worker.post_message(&"activate".into());
        }
        None => reload(),
    }
}

fn report_installed(
    container: &ServiceWorkerContainer,
    registration: &ServiceWorkerRegistration,
    on_newer: &Rc<impl Fn() + 'static>,
) {
    let Some(worker) = registration.installing() else { return };
    let (container, registration) = (container.clone(), registration.clone());
    let (installing, on_newer) = (worker.clone(), Rc::clone(on_newer));
    let on_change = move |_: &_| {
        if installing.state() == ServiceWorkerState::Installed && has_older(&container, &registration) {
            on_newer();
        }
    };
    EventListener::new(&worker, "statechange", on_change).forget();
}

/// Whether an older version controls this page. WebKit may report the first version as the controller before it is
/// active.
fn has_older(container: &ServiceWorkerContainer, registration: &ServiceWorkerRegistration) -> bool {
    container.controller().is_some() && registration.active().is_some()
}

async fn waiting(container: &ServiceWorkerContainer) -> Option<web_sys::ServiceWorker> {
    let registration = JsFuture::from(container.get_registration()).await.ok()?;
    registration.dyn_into::<ServiceWorkerRegistration>().ok()?.waiting()
}

/// The web-sys binding would also return an object in browsers without service workers.
fn container() -> Option<ServiceWorkerContainer> {
    Reflect::get(&gloo::utils::window().navigator(), &"serviceWorker".into()).ok()?.dyn_into().ok()
}

fn reload() {
    // If the browser refuses, the old version keeps working.
    let _ = gloo::utils::window().location().reload();
}
