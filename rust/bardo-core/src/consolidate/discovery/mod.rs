//! Discovery of rules, links and rhythms: a search proposes hypotheses, later windows test them.

mod cases;
pub(super) mod claims;
pub(super) mod e_values;
pub(super) mod foreign_claims;
pub(super) mod hypotheses;
mod hypothesis;
pub(super) mod hypothesis_queries;
pub(super) mod hypothesis_ranks;
pub(super) mod hypothesis_rows;
pub(super) mod known_rules;
pub(super) mod links;
pub(super) mod periodicity;
pub(super) mod permutation_test;
pub(super) mod redundant_rules;
pub(super) mod subgroup_search;
pub(super) mod subgroups;
mod twins;
pub(super) mod window;
