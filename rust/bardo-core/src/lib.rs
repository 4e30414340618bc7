//! The memory engine of bardo, without Python.
//!
//! The stages, in the order a memory takes them, name the modules: [`capture`], [`facts`], [`index`], [`consolidate`],
//! [`recall`], [`assemble`], [`bequeath`]; [`model`] and [`text`] serve all of them. A stage uses only the ones before
//! it. [`Engine`] composes the log, the facts and the hot set. The crate starts no threads, reads no clock and draws no random number by itself: time and seed are arguments,
//! so the same call gives the same result. [`simulate`] runs lives of agents on these parts.

pub mod assemble;
pub mod bequeath;
pub mod capture;
pub mod consolidate;
pub mod engine;
pub mod error;
pub mod facts;
mod hashing;
pub mod index;
pub mod model;
pub mod recall;
pub mod simulate;
pub mod text;

pub use engine::Engine;
pub use error::{Error, Result};
