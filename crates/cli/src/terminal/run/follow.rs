//! Checks a live trace for new data, in pieces, between keys and queries.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{Ended, Runner, SessionSource, show_load};
use crate::follow::{Follower, Found, Writer};
use camlscope_engine::protocol::Slot;
use camlscope_engine::trace::Budget;

#[derive(Debug)]
pub struct Following {
    pub follower: Follower,
    path: PathBuf,
    writer: Writer,
    /// The time between two checks.
    every: Duration,
    /// When the next check is due.
    due: Instant,
    /// The start of the current check, including the queries that follow it.
    began: Option<Instant>,
    /// Whether there is more to read.
    is_reading: bool,
    /// When the preview of a long file was last updated.
    sketched: Instant,
}

/// A program that is writing is never silent for this long.
const PATIENCE: Duration = Duration::from_secs(10);
/// Checks and queries take at most 1/SHARE of the time.
const SHARE: u32 = 4;

impl Following {
    pub fn new(path: &Path, budget: Budget, every: Duration) -> Following {
        let now = Instant::now();
        Following {
            follower: Follower::new(path, budget),
            path: path.to_owned(),
            writer: Writer::default(),
            every,
            due: now,
            began: None,
            is_reading: false,
            sketched: now,
        }
    }

    /// Whether it's time for another check. Called only when all queries of the previous check are done.
    fn is_due(&mut self) -> bool {
        let now = Instant::now();
        if let Some(began) = self.began.take() {
            self.due = now + self.every.max((SHARE - 1) * (now - began));
        }
        now >= self.due
    }
}

impl Runner<'_> {
    /// Reads part of the new data if a check is due. Returns whether there is more.
    pub(super) fn look(&mut self) -> Result<bool, Ended> {
        let SessionSource::Following(following) = &mut self.source else { return Ok(false) };
        if let Some(follow) = &mut self.app.state.follow {
            if follow.is_paused {
                return Ok(false);
            }
            follow.activity = following.writer.activity(PATIENCE.max(3 * following.every));
        }
        if !following.is_reading && (self.app.missing().is_some() || !following.is_due()) {
            return Ok(false);
        }
        following.began.get_or_insert_with(Instant::now);
        let found = following.follower.step().map_err(|error| Ended::Input(following.path.clone(), error))?;
        following.writer.on_found(&found);
        following.is_reading = found == Found::Part;
        if !following.is_reading {
            self.app.state.load = None;
            let has_grown = matches!(found, Found::Grown(_));
            self.app.on_found(found);
            if has_grown {
                self.color_modules();
            }
            return Ok(false);
        }
        if !following.follower.session().is_open(Slot::Main) {
            show_load(&mut self.app.state, following.follower.session(), &mut following.sketched);
        }
        Ok(true)
    }
}
