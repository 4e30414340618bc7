//! Consolidation draws facts from many episodes, and lets them fade (spec 2 and 3).

mod accounted;
mod agreement;
mod attributes;
mod baseline;
mod betting;
mod calibration;
mod chance;
mod claims;
mod clause;
mod contradiction;
mod curator;
mod dream;
mod evict;
mod gaps;
mod gather;
mod hedges;
mod hypotheses;
mod kinship;
mod links;
mod lint;
mod phrases;
mod promote;
mod reconcile;
mod recount;
mod replay;
mod restate;
mod rhythm;
mod shift;
mod situations;
mod slots;
mod statement;
mod statistic;
mod subgroups;
mod sum_tree;
mod testimony;
mod tidy;
mod utility;
mod value;
mod window;
mod wording;
mod words;

pub use crate::model::decay;
pub use agreement::{Verdict, judge};
pub use baseline::credible;
pub use betting::FALSE_DISCOVERY_RATE;
pub use calibration::{Calibration, calibration, stated};
pub use contradiction::{Contradiction, ContradictionKind, contradiction, is_disputed};
pub use curator::{
    CAPACITY, CONFIRM_OBSERVATIONS, CuratorReport, CuratorSettings, DryRun, EVICTION_THRESHOLD,
    MINIMUM_EPISODES, OUTCOMES, consolidate, rehearse,
};
pub use dream::{DreamReport, dream};
pub use gaps::{
    GAPS_KEPT, Gap, GapKind, INHERITED_GAPS_KEPT, InheritedGap, InheritedGaps, NAMED_OFTEN, forget_gaps,
    gaps, inherit_gaps,
};
pub use gather::{NUMBERS_PER_EPISODE, VerifiedEpisodes};
pub use hypotheses::{Trial, forget_claims, trial};
pub use lint::{
    LATEST_FACTS, LEAST_FACTS, LINT, LintReport, LintSettings, STALE_DAYS, UNIMPORTANT, lint, rehearse_lint,
};
pub use promote::{ACTIVE_TICKS, PLAYBOOK_CONFIDENCE, Promotion, Rank, Standing, promoted, standing};
pub use recount::{NumberName, RecountReport, number_names, recount};
pub use replay::{Draw, ReplayBuffer, ReplaySettings};
pub use statistic::Statistic;
pub use sum_tree::SumTree;
pub use utility::{sample_by_utility, utilities};
