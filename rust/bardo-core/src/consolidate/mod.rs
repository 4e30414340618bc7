//! Consolidation draws facts from many episodes, and lets them fade.

mod agreement;
mod attributes;
mod baseline;
mod batch;
mod bloodstains;
mod calibration;
mod claims;
mod clause;
mod clause_coverage;
mod contradiction;
mod curator;
mod dream;
mod e_values;
mod evict;
mod fact_text;
mod foreign_claims;
mod gaps;
mod hedge_words;
mod hypotheses;
mod hypothesis_queries;
mod hypothesis_ranks;
mod identifiers;
mod inherited_replay;
mod known_rules;
mod links;
mod lint;
mod lint_acts;
mod look_back;
mod numeric_claims;
mod periodicity;
mod permutation_test;
mod phrases;
mod promote;
mod reconcile;
mod redundant_rules;
mod replay;
mod restatements;
mod rule_confidence;
mod rule_trial_rows;
mod rule_trials;
mod shift;
mod situations;
mod slots;
mod statement;
mod statistic;
mod statistic_rebuild;
mod subgroup_search;
mod subgroups;
mod sum_tree;
mod utility;
mod value;
mod window;
mod word_lists;

pub use crate::model::decay;
pub use agreement::{Verdict, compare_claim};
pub use baseline::credible;
pub use batch::{NUMBERS_PER_EPISODE, VerifiedEpisodes};
pub use bloodstains::{LEAST_OUTCOMES, SEVERE_DEVIATIONS, SEVERE_SHARE};
pub use calibration::{Calibration, calibration, stated};
pub use contradiction::{Contradiction, ContradictionKind, contradiction, is_disputed};
pub use curator::{
    CAPACITY, CONFIRM_OBSERVATIONS, CuratorReport, CuratorSettings, DryRun, EVICTION_THRESHOLD, LOOK_BACK,
    MINIMUM_EPISODES, OUTCOMES, REPLAY, consolidate, rehearse,
};
pub use dream::{DreamReport, dream};
pub use e_values::FALSE_DISCOVERY_RATE;
pub use gaps::{
    GAPS_KEPT, Gap, GapKind, INHERITED_GAPS_KEPT, InheritedGap, InheritedGaps, NAMED_OFTEN, forget_gaps,
    gaps, inherit_gaps,
};
pub use hypothesis_queries::{Trial, forget_claims, trial};
pub use inherited_replay::{InheritedTest, replay_inherited};
pub use lint::{
    LATEST_FACTS, LEAST_FACTS, LINT, LintReport, LintSettings, STALE_DAYS, UNIMPORTANT, lint, rehearse_lint,
};
pub use promote::{ACTIVE_TICKS, PLAYBOOK_CONFIDENCE, Promotion, Rank, Standing, promoted, standing};
pub use replay::{Draw, Entry as ReplayEntry, ReplayBuffer, ReplaySettings};
pub use statistic::Statistic;
pub use statistic_rebuild::{NumberName, RecountReport, number_names, recount};
pub use sum_tree::SumTree;
pub use utility::{discounted_need, mean_shift, sample_by_utility, utilities};
