//! One domain's heap: the young die or are promoted at a minor collection, the old die and are swept a cycle later.

use std::collections::VecDeque;
use std::mem;

use camlscope_formats::ctf::ObjectId;

/// How long an object lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// Garbage by the next minor collection.
    DiesYoung,
    /// Garbage so much time after its birth.
    LivesFor { us: u64 },
    /// Stays until that many others came into the cache after it.
    Cached,
    /// Stays until the spike is over.
    UntilSpikeEnds,
    /// Never collected.
    Immortal,
}

#[derive(Debug, Default)]
pub struct Heap {
    /// The young that will die young, and those that will not, with their births in µs.
    garbage: Vec<ObjectId>,
    survivors: Vec<(ObjectId, Lifetime, u64)>,
    /// Words that can be allocated before the next minor collection.
    room: f64,
    n_minor: u64,
    mortal: Calendar,
    /// Oldest first, up to a limit.
    cache: VecDeque<ObjectId>,
    cache_objects: usize,
    spike: Vec<ObjectId>,
    /// Dead, not yet swept.
    dead: Vec<ObjectId>,
}

/// What a collection found.
#[derive(Debug, Default)]
pub struct Found {
    pub promoted: Vec<ObjectId>,
    pub dead: Vec<ObjectId>,
    /// Promoted objects that another domain will find dead, and when they die.
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
/// The dead of the major heap are found once in this many minor collections.
const MINOR_A_MAJOR: u64 = 8;
/// 1 in this many promoted objects that will die is given to another domain, if there is one.
const GIVEN_AWAY: u64 = 3;

impl Heap {
    pub fn new(cache_objects: usize) -> Heap {
        Heap { room: MINOR_WORDS, cache_objects, ..Heap::default() }
    }

    /// Words that can be allocated before the next minor collection.
    pub fn room(&self) -> f64 {
        self.room
    }

    /// So many words were allocated, sampled or not.
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

    /// Born in the major heap.
    pub fn born_old(&mut self, id: ObjectId, lifetime: Lifetime, now: u64) {
        match lifetime {
            Lifetime::DiesYoung => self.dead.push(id),
            lifetime => self.settle(id, lifetime, now, now),
        }
    }

    /// An object of another domain, to be found dead here.
    pub fn adopt(&mut self, dies: u64, id: ObjectId) {
        self.mortal.enter(dies, id);
    }

    pub fn end_spike(&mut self) {
        self.dead.append(&mut self.spike);
    }

    /// Empties the minor heap; now and then sweeps the major one. `room` words can be allocated until the next time.
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

/// Objects by the day of their death. A day is an eighth of a second: nothing is swept more often.
#[derive(Debug, Default)]
struct Calendar {
    today: u64,
    /// From today on.
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

    /// Tells all who died on days that are over.
    fn pass(&mut self, now: u64, dead: &mut Vec<ObjectId>) {
        while self.today < now / Calendar::DAY_US {
            self.today += 1;
            dead.append(&mut self.days.pop_front().unwrap_or_default());
        }
    }
}
