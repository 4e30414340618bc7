//! A few memories, ranked and explained (spec 4).

mod arms;
mod best;
mod candidate;
pub mod conversation;
pub mod dates;
pub mod diversity;
pub mod explain;
pub mod filter;
pub mod fuse;
mod graph;
pub mod late;
mod named;
mod order;
pub mod past;
pub mod place;
pub mod records;
pub mod score;
pub mod search;
mod seats;
pub mod settings;
pub mod single;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
