//! Work on whole files: upgrade an older schema, compact, and look for bytes that must be gone.
//!
//! Each writes a new file beside the old one and replaces it in one step, so a crash at any time leaves one whole file.
//! It costs as much as writing the log once: not for the way of a single change.

pub(crate) mod compact;
pub(crate) mod copy;
pub(crate) mod open;
pub(crate) mod replace;
pub(crate) mod residue;
pub(crate) mod upgrade;
