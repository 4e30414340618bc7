//! Consolidation draws facts from many episodes, and lets them fade.

mod batch;
mod bloodstains;
mod calibration;
mod curator;
mod discovery;
mod fact_text;
mod failure_causes;
mod failure_rates;
mod observed_ticks;
mod reconcile;
mod replay;
mod severity;
mod statistics;
mod trials;
mod upkeep;
mod words;

pub use crate::model::decay;
pub use batch::{NUMBERS_PER_EPISODE, VerifiedEpisodes};
pub use calibration::{Calibration, calibration, stated};
pub use curator::{
    CAPACITY, CONFIRM_OBSERVATIONS, CuratorReport, CuratorSettings, DryRun, EVICTION_THRESHOLD, LOOK_BACK,
    MINIMUM_EPISODES, OUTCOMES, REPLAY, consolidate, rehearse,
};
pub use discovery::e_values::FALSE_DISCOVERY_RATE;
pub use discovery::hypothesis_queries::{Trial, forget_claims, trial};
pub use replay::buffer::{Draw, Entry as ReplayEntry, ReplayBuffer, ReplaySettings};
pub use replay::dream::{DreamReport, dream};
pub use replay::inherited_replay::{InheritedTest, replay_inherited};
pub use replay::sum_tree::SumTree;
pub use replay::utility::{discounted_need, mean_shift, sample_by_utility, utilities};
pub use severity::{LEAST_OUTCOMES, SEVERE_SHARE, severe_deviations};
pub use statistics::agreement::{Verdict, compare_claim};
pub use statistics::baseline::credible;
pub use statistics::statistic::Statistic;
pub use statistics::statistic_rebuild::{NumberName, RecountReport, number_names, recount};
pub use trials::promote::{ACTIVE_TICKS, PLAYBOOK_CONFIDENCE, Promotion, Rank, Standing, promoted, standing};
pub use upkeep::gaps::{
    GAPS_KEPT, Gap, GapKind, INHERITED_GAPS_KEPT, InheritedGap, InheritedGaps, NAMED_OFTEN, forget_gaps,
    gaps, inherit_gaps,
};
pub use upkeep::lint::{
    LATEST_FACTS, LEAST_FACTS, LINT, LintReport, LintSettings, STALE_DAYS, UNIMPORTANT, lint, rehearse_lint,
};
pub use words::contradiction::{Contradiction, ContradictionKind, contradiction, is_disputed};
