//! A few memories, ranked and explained (spec 4).

pub mod explain;
pub mod filter;
pub mod fuse;
pub mod score;
pub mod search;
pub mod settings;
