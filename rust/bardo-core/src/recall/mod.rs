//! A few memories, ranked and explained.

mod arms;
pub mod asker_state;
mod candidate;
pub mod conversation;
mod current_first;
pub mod danger_seats;
pub mod diversity;
mod duplicate_groups;
pub mod explain;
pub mod fact_history;
pub mod filter;
pub mod fuse;
mod graph;
mod in_force;
pub mod late_rerank;
mod newer_turn;
mod partial_sort;
mod period_arm;
pub mod periods;
mod rare_names;
pub mod records;
pub mod rule_seats;
pub mod score;
pub mod search;
pub mod settings;
pub mod single_arm;
mod sort_keys;
mod stated_first;
pub(crate) mod top_k;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
