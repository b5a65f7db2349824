//! The state of each domain that writes to the trace: its stack cache, its tables and its clock.

use super::backtrace::Backtraces;
use super::limits::MAX_DOMAIN_STATES;
use super::location::LocationTables;

/// One domain's decoder state.
#[derive(Debug)]
pub struct DomainState {
    pub id: u16,
    pub backtraces: Backtraces,
    pub tables: LocationTables,
    /// The time of its last event, in µs since the epoch. Times never decrease.
    pub last_us: u64,
    /// The last packet that used this state, for eviction.
    pub last_packet: u64,
}

impl DomainState {
    pub fn new(id: u16) -> DomainState {
        DomainState { id, backtraces: Backtraces::new(), tables: LocationTables::default(), last_us: 0, last_packet: 0 }
    }

    /// Handles a gap in the trace: the contents of the writer's tables are no longer known.
    pub fn forget(&mut self) {
        self.backtraces.forget();
        self.tables.forget();
    }
}

/// The states of the domains that wrote most recently, at most [`MAX_DOMAIN_STATES`].
#[derive(Debug, Default)]
pub struct DomainStates {
    states: Vec<DomainState>,
    /// The domains that wrote a packet, ascending.
    seen: Vec<u16>,
}

impl DomainStates {
    /// Returns the state of the domain that wrote the `n_packets`th packet. A domain whose state was evicted starts
    /// without tables.
    pub fn of(&mut self, id: u16, n_packets: u64) -> &mut DomainState {
        let DomainStates { states, seen } = self;
        let at = states.iter().position(|state| state.id == id).unwrap_or_else(|| {
            let mut fresh = DomainState::new(id);
            if !insert_sorted(seen, id) {
                fresh.forget();
            }
            if states.len() < MAX_DOMAIN_STATES {
                states.push(fresh);
                states.len() - 1
            } else {
                let oldest = (0..states.len()).min_by_key(|&at| states[at].last_packet).unwrap_or(0);
                states[oldest] = fresh;
                oldest
            }
        });
        states[at].last_packet = n_packets;
        &mut states[at]
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut DomainState> {
        self.states.iter_mut()
    }
}

/// Inserts an id. Returns false if it was already there.
pub fn insert_sorted(ids: &mut Vec<u16>, id: u16) -> bool {
    match ids.binary_search(&id) {
        Ok(_) => false,
        Err(at) => {
            ids.insert(at, id);
            true
        }
    }
}
