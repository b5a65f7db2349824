//! The decoder of Spacetime profiles, at the level of its sink.

mod attacks;
mod chunks;
mod damage;
mod facts;
mod marshal;
mod recorder;
mod round_trip;
mod series;
mod synth;
mod tries;
