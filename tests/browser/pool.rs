//! A pool of browsers, which tests reuse because starting a browser takes longer than most tests.
//!
//! The test harness runs each test in a new thread, so a browser can't belong to a thread. A test takes an idle browser and
//! returns it if the test passes. If a test fails or panics, its browser is closed, so the failure doesn't affect other tests.
//! The harness doesn't report when it ends, so the last running test closes the idle browsers.

use std::mem;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use anyhow::Result;

use crate::browser::Browser;
use crate::engine::Engine;
use crate::visit::fresh_folder;

/// A running test, which has at most one browser.
pub struct Place {
    engine: Engine,
}

impl Place {
    /// Waits until there may be another test in this engine.
    pub fn take(engine: Engine) -> Place {
        let is_full = |pool: &mut Pool| pool.running.iter().filter(|other| **other == engine).count() >= most(engine);
        let mut pool = FREED.wait_while(pool(), is_full).unwrap_or_else(PoisonError::into_inner);
        pool.running.push(engine);
        Place { engine }
    }

    /// Returns an idle browser that still responds, or starts one.
    pub fn browser(&self) -> Result<Browser> {
        let idle = {
            let idle = &mut pool().idle;
            let index = idle.iter().position(|browser| browser.engine == self.engine);
            index.map(|index| idle.swap_remove(index))
        };
        match idle {
            Some(browser) if browser.is_alive() => Ok(browser),
            _ => start(self.engine),
        }
    }

    pub fn put_back(&self, browser: Browser) {
        pool().idle.push(browser);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut pool = pool();
        let index = pool.running.iter().position(|engine| *engine == self.engine);
        index.map(|index| pool.running.swap_remove(index));
        FREED.notify_all();
        let unused = if pool.running.is_empty() { mem::take(&mut pool.idle) } else { Vec::new() };
        // Closing browsers takes a while, and other tests need the pool.
        drop(pool);
        drop(unused);
    }
}

/// The number of browsers of an engine. A Firefox takes four seconds of CPU time to start, and two of them keep two cores busy.
fn most(engine: Engine) -> usize {
    if engine == Engine::Chromium { usize::MAX } else { 2 }
}

struct Pool {
    idle: Vec<Browser>,
    /// The engines of the running tests.
    running: Vec<Engine>,
    n_started: usize,
}

static POOL: Mutex<Pool> = Mutex::new(Pool { idle: Vec::new(), running: Vec::new(), n_started: 0 });
static FREED: Condvar = Condvar::new();

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
