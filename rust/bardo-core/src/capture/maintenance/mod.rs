//! Operations on whole files: upgrade an older schema, compact, and search for deleted bytes.
//!
//! A rewrite fills a new file beside the old one and replaces it atomically, so a crash at any time leaves one whole
//! file. It costs as much as writing the log once, which is too much for a single change.

pub(crate) mod compact;
pub(crate) mod copy;
pub(crate) mod open;
pub(crate) mod replace;
pub(crate) mod residue;
pub(crate) mod upgrade;
