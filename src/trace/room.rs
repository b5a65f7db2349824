//! Room for the model's columns and nodes, a quarter of a megabyte at a time.
//!
//! A page of memory that is touched for the first time is cleared by the kernel, which takes a sixth of a load's time.
//! So where there are threads, one of them touches what will be needed next; and what is given back is used again.

#[cfg(not(target_family = "wasm"))]
use std::sync::mpsc::{Receiver, sync_channel};

/// Numbers in a room: an index into one is then exactly a `u16`, which spares its check.
pub(super) const ROOM: usize = 1 << 16;

pub(super) type Room = Box<[u32; ROOM]>;

/// Gives rooms, of whatever numbers.
#[derive(Debug, Default)]
pub(super) struct Rooms {
    ready: Vec<Room>,
    #[cfg(not(target_family = "wasm"))]
    n_taken: u32,
    #[cfg(not(target_family = "wasm"))]
    ahead: Option<Receiver<Vec<Room>>>,
}

impl Rooms {
    pub fn take(&mut self) -> Room {
        #[cfg(not(target_family = "wasm"))]
        if self.ready.is_empty() {
            self.fetch();
        }
        self.ready.pop().unwrap_or_else(room)
    }

    /// For who takes the next ones.
    pub fn give_back(&mut self, rooms: impl IntoIterator<Item = Room>) {
        self.ready.extend(rooms);
    }

    /// If the thread has not come to it, there is nothing to wait for.
    #[cfg(not(target_family = "wasm"))]
    fn fetch(&mut self) {
        /// A trace that takes fewer is loaded before a thread has begun.
        const BEFORE_AHEAD: u32 = 16;
        self.n_taken += 1;
        if self.n_taken == BEFORE_AHEAD {
            self.ahead = begin_ahead();
        }
        if let Some(ahead) = &self.ahead
            && let Ok(rooms) = ahead.try_recv()
        {
            self.ready = rooms;
        }
    }
}

/// Starts a thread that keeps some rooms ready, and ends when nobody takes them any more. None if there can be no thread.
#[cfg(not(target_family = "wasm"))]
fn begin_ahead() -> Option<Receiver<Vec<Room>>> {
    /// Rooms that are handed over at once: to wake a thread takes longer than to fetch one of them.
    const BATCH: usize = 8;
    let (sender, receiver) = sync_channel(1);
    let make_ready = move || while sender.send((0..BATCH).map(|_| touched_room()).collect()).is_ok() {};
    std::thread::Builder::new().name("room".to_owned()).spawn(make_ready).ok()?;
    Some(receiver)
}

#[cfg(not(target_family = "wasm"))]
fn touched_room() -> Room {
    /// No system has smaller pages.
    const PAGE: usize = 4096 / size_of::<u32>();
    let mut room = room();
    for page in room.chunks_mut(PAGE) {
        // The compiler must not know that it is zero already.
        page[0] = std::hint::black_box(0);
    }
    room
}

fn room() -> Room {
    // The length is ROOM by construction; the other arm is never taken.
    vec![0; ROOM].into_boxed_slice().try_into().unwrap_or_else(|_| Box::new([0; ROOM]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_room_is_nobody_elses_and_what_is_given_back_is_taken_again() {
        let mut rooms = Rooms::default();
        let mut taken = Vec::new();
        for i in 0..100 {
            let mut room = rooms.take();
            room.fill(i);
            taken.push(room);
        }
        assert!((0..).zip(&taken).all(|(i, room)| room.iter().all(|&number| number == i)));
        let places: Vec<*const u32> = taken.iter().map(|room| room.as_ptr()).collect();
        rooms.give_back(taken);
        assert!((0..100).all(|_| places.contains(&rooms.take().as_ptr())));
    }
}
