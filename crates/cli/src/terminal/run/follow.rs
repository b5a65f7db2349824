//! Looks at a trace that is being written, piece by piece, between keys and answers.

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
    /// From one look to the next.
    every: Duration,
    /// When the next look is due.
    due: Instant,
    /// When the look began that goes on, or whose answers are being worked out.
    began: Option<Instant>,
    /// Whether there is more to read.
    is_reading: bool,
    /// When what is known of a long file was last worked out.
    sketched: Instant,
}

/// A program that writes is not silent for so long.
const PATIENCE: Duration = Duration::from_secs(10);
/// Looks and answers take no more than one part in so many of the time.
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

    /// Whether it is time to look again; only asked when all that was found before is answered.
    fn is_due(&mut self) -> bool {
        let now = Instant::now();
        if let Some(began) = self.began.take() {
            self.due = now + self.every.max((SHARE - 1) * (now - began));
        }
        now >= self.due
    }
}

impl Runner {
    /// Takes a piece of what is new, once it is time to; whether there is more.
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
            self.app.on_found(found);
        } else if !following.follower.session().is_open(Slot::Main) {
            show_load(&mut self.app.state, following.follower.session(), &mut following.sketched);
        }
        Ok(following.is_reading)
    }
}
