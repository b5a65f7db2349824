//! A pool of browsers, which tests reuse because starting a browser takes longer than most tests.
//!
//! The test harness runs each test in a new thread, so a browser can't belong to a thread. A test takes an idle browser and
//! returns it if the test passes. If a test fails or panics, its browser is closed, so the failure doesn't affect other tests.
//! The harness doesn't report when it ends, so the last running test closes the idle browsers.

use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Result;

use crate::browser::Browser;
use crate::engine::Engine;
use crate::visit::fresh_folder;

/// A running test, which has at most one browser.
pub struct Place(());

impl Place {
    pub fn take() -> Place {
        pool().n_running += 1;
        Place(())
    }

    /// Returns an idle browser that still responds, or starts one. A new browser replaces an idle one of another engine, so there
    /// are never more browsers than running tests.
    pub fn browser(&self, engine: Engine) -> Result<Browser> {
        let idle = {
            let idle = &mut pool().idle;
            let index = idle.iter().position(|browser| browser.engine == engine).or(idle.len().checked_sub(1));
            index.map(|index| idle.swap_remove(index))
        };
        match idle {
            Some(browser) if browser.engine == engine && browser.is_alive() => Ok(browser),
            replaced => {
                drop(replaced);
                start(engine)
            }
        }
    }

    pub fn put_back(&self, browser: Browser) {
        pool().idle.push(browser);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut pool = pool();
        pool.n_running -= 1;
        let unused = if pool.n_running == 0 { mem::take(&mut pool.idle) } else { Vec::new() };
        // Closing browsers takes a while, and other tests need the pool.
        drop(pool);
        drop(unused);
    }
}

struct Pool {
    idle: Vec<Browser>,
    n_running: usize,
    n_started: usize,
}

static POOL: Mutex<Pool> = Mutex::new(Pool { idle: Vec::new(), n_running: 0, n_started: 0 });

fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

fn start(engine: Engine) -> Result<Browser> {
    let number = {
        let mut pool = pool();
        pool.n_started += 1;
        pool.n_started
    };
    let home = fresh_folder(&format!("browser-{number}"))?;
    Browser::start(engine, &home.join("requests.json"))
}
