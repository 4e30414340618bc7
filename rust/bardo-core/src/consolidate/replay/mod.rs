//! Replay of old episodes: what is worth another look, dreams, and looking back.

pub(super) mod buffer;
pub(super) mod dream;
pub(super) mod inherited_replay;
pub(super) mod look_back;
pub(super) mod situations;
pub(super) mod sum_tree;
pub(super) mod utility;
