//! Tests the decoder of Spacetime profiles through its sink.

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
