//! One domain's heap. Young objects die or are promoted at a minor collection. Old ones die and are swept a cycle
//! later.

use std::collections::VecDeque;
use std::mem;

use camlscope_formats::ctf::ObjectId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// Dead by the next minor collection.
    DiesYoung,
    /// Dead `us` after its allocation.
    LivesFor { us: u64 },
    /// Alive until the cache is full and this is its oldest object.
    Cached,
    /// Alive until the spike is over.
    UntilSpikeEnds,
    /// Never collected.
    Immortal,
}

#[derive(Debug, Default)]
pub struct Heap {
    /// Young objects that will die young. Survivors have their lifetime and the time of their allocation, in µs.
    garbage: Vec<ObjectId>,
    survivors: Vec<(ObjectId, Lifetime, u64)>,
    /// Words that can be allocated before the next minor collection.
    room: f64,
    n_minor: u64,
    mortal: Calendar,
    /// Oldest first, at most `cache_objects`.
    cache: VecDeque<ObjectId>,
    cache_objects: usize,
    spike: Vec<ObjectId>,
    /// Dead but not yet swept.
    dead: Vec<ObjectId>,
}

/// The results of a collection.
#[derive(Debug, Default)]
pub struct Found {
    pub promoted: Vec<ObjectId>,
    pub dead: Vec<ObjectId>,
    /// Promoted objects that another domain will find dead, with the time of their death.
    pub given_away: Vec<(u64, ObjectId)>,
}

impl Found {
    pub fn clear(&mut self) {
        self.promoted.clear();
        self.dead.clear();
        self.given_away.clear();
    }
}

/// OCaml's default.
pub const MINOR_WORDS: f64 = 262_144.0;
/// The major heap is swept once per this many minor collections.
const MINOR_A_MAJOR: u64 = 8;
/// 1 in this many mortal promoted objects is given to another domain, if there is one.
const GIVEN_AWAY: u64 = 3;

impl Heap {
    pub fn new(cache_objects: usize) -> Heap {
        Heap { room: MINOR_WORDS, cache_objects, ..Heap::default() }
    }

    pub fn room(&self) -> f64 {
        self.room
    }

    /// Records that `words` were allocated, whether sampled or not.
    pub fn fill(&mut self, words: f64) {
        self.room -= words;
    }

    #[inline]
    pub fn born(&mut self, id: ObjectId, lifetime: Lifetime, now: u64) {
        if lifetime == Lifetime::DiesYoung {
            self.garbage.push(id);
        } else {
            self.survivors.push((id, lifetime, now));
        }
    }

    /// Adds an object that is allocated directly in the major heap.
    pub fn born_old(&mut self, id: ObjectId, lifetime: Lifetime, now: u64) {
        match lifetime {
            Lifetime::DiesYoung => self.dead.push(id),
            lifetime => self.settle(id, lifetime, now, now),
        }
    }

    /// Takes over an object of another domain, which will be found dead here.
    pub fn adopt(&mut self, dies: u64, id: ObjectId) {
        self.mortal.enter(dies, id);
    }

    pub fn end_spike(&mut self) {
        self.dead.append(&mut self.spike);
    }

    /// Empties the minor heap and, every few calls, sweeps the major heap. `room` is the number of words that can be
    /// allocated until the next collection.
    pub fn collect(&mut self, now: u64, room: f64, has_neighbor: bool, found: &mut Found) {
        self.room = room;
        self.n_minor += 1;
        found.clear();
        found.dead.append(&mut self.garbage);
        let mut survivors = mem::take(&mut self.survivors);
        for (id, lifetime, born) in survivors.drain(..) {
            found.promoted.push(id);
            match lifetime {
                Lifetime::LivesFor { us } if has_neighbor && id.0 % GIVEN_AWAY == 0 => {
                    found.given_away.push((born + us, id));
                }
                lifetime => self.settle(id, lifetime, born, now),
            }
        }
        self.survivors = survivors;
        if self.n_minor.is_multiple_of(MINOR_A_MAJOR) {
            self.mortal.pass(now, &mut self.dead);
            found.dead.append(&mut self.dead);
        }
    }

    fn settle(&mut self, id: ObjectId, lifetime: Lifetime, born: u64, now: u64) {
        match lifetime {
            Lifetime::LivesFor { us } => self.mortal.enter((born + us).max(now), id),
            Lifetime::Cached => {
                self.cache.push_back(id);
                if self.cache.len() > self.cache_objects {
                    self.dead.extend(self.cache.pop_front());
                }
            }
            Lifetime::UntilSpikeEnds => self.spike.push(id),
            Lifetime::DiesYoung | Lifetime::Immortal => {}
        }
    }
}

/// Objects by the day they die. A day is an eighth of a second, because nothing is swept more often.
#[derive(Debug, Default)]
struct Calendar {
    today: u64,
    /// Starts with today.
    days: VecDeque<Vec<ObjectId>>,
}

impl Calendar {
    const DAY_US: u64 = 125_000;

    fn enter(&mut self, dies: u64, id: ObjectId) {
        let day = (dies / Calendar::DAY_US).saturating_sub(self.today) as usize;
        if day >= self.days.len() {
            self.days.resize_with(day + 1, Vec::new);
        }
        self.days[day].push(id);
    }

    /// Moves to `now` and collects the objects that died on past days.
    fn pass(&mut self, now: u64, dead: &mut Vec<ObjectId>) {
        while self.today < now / Calendar::DAY_US {
            self.today += 1;
            dead.append(&mut self.days.pop_front().unwrap_or_default());
        }
    }
}
