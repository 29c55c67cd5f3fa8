//! What the programs of this workspace share: clocks, durations, CNI errors and durable files.
//!
//! The formats are those of `docs/wire.md`; `test/fixtures/wire/` holds samples that both languages are tested against.

#![forbid(unsafe_code)]

pub mod boot;
pub mod clock;
pub mod cni_error;
pub mod directory;
pub mod duration;
pub mod envelope;
pub mod json;
