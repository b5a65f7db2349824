//! The service worker, which keeps the page's own files so that it works without a network. A browser that has none, or lets
//! this page have none (a page from a disk, plain HTTP, a private window), shows the page all the same.

use std::rc::Rc;

use gloo::events::EventListener;
use js_sys::Reflect;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{ServiceWorkerContainer, ServiceWorkerRegistration, ServiceWorkerState};

use super::page_config;

/// Registers it, and calls back when a newer version of the page is ready, or has taken over in another window.
pub async fn register(on_newer: impl Fn() + 'static) {
    // A page that is one file names none.
    let Some(address) = page_config::address("camlscope-service-worker") else { return };
    let Some(container) = container() else { return };
    let on_newer = Rc::new(on_newer);
    // Without a controller there was no older version.
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

/// Lets the newer version take over, and reloads the page.
pub async fn reload_newer() {
    let waiting = match container() {
        Some(container) => waiting(&container).await.map(|worker| (container, worker)),
        None => None,
    };
    match waiting {
        Some((container, worker)) => {
            EventListener::once(&container, "controllerchange", |_| reload()).forget();
            // A text can always be posted.
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

/// Whether an older version shows this page. WebKit may call the first one its controller before it is active.
fn has_older(container: &ServiceWorkerContainer, registration: &ServiceWorkerRegistration) -> bool {
    container.controller().is_some() && registration.active().is_some()
}

async fn waiting(container: &ServiceWorkerContainer) -> Option<web_sys::ServiceWorker> {
    let registration = JsFuture::from(container.get_registration()).await.ok()?;
    registration.dyn_into::<ServiceWorkerRegistration>().ok()?.waiting()
}

/// The binding to it would promise one to browsers that have none.
fn container() -> Option<ServiceWorkerContainer> {
    Reflect::get(&gloo::utils::window().navigator(), &"serviceWorker".into()).ok()?.dyn_into().ok()
}

fn reload() {
    // A browser that refuses leaves the older version, which goes on working.
    let _ = gloo::utils::window().location().reload();
}
