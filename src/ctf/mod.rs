//! ctf
