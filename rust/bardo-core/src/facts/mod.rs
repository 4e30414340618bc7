//! Facts: general knowledge, with its evidence and history, in SQLite.
//!
//! [`FactStore`] owns `facts.db`. Every change is one immediate transaction (`transaction`) that stamps the facts it
//! touches with a change number and keeps the earlier state (`history`). Facts arrive by `upsert`, move by `evidence`
//! and `outcomes`, wait in `quarantine` when they are inferred, and leave by `delete`, `retract` and `purge`. Entities,
//! triples and mentions lie in the same file.
//!
//! Not here: deciding what is worth knowing (`consolidate`), and ranking (`recall`). The stages after this one may join
//! a transaction through its modules, so that a pass of theirs is one commit.

pub(crate) mod acts;
pub(crate) mod batch;
pub(crate) mod check;
pub(crate) mod checksums;
pub(crate) mod clock_leap;
mod contested;
pub(crate) mod delete;
pub(crate) mod digest;
pub(crate) mod end_cause;
pub(crate) mod entities;
pub(crate) mod evidence;
pub(crate) mod filter;
pub(crate) mod fingerprint;
pub(crate) mod fulltext;
pub(crate) mod history;
pub(crate) mod mention_rows;
pub(crate) mod mentions;
pub(crate) mod model_switch;
pub(crate) mod names_state;
pub(crate) mod outcomes;
pub(crate) mod purge;
pub(crate) mod quarantine;
pub(crate) mod quota;
pub(crate) mod renew;
pub(crate) mod retract;
pub(crate) mod rows;
mod rule_trial_table;
pub(crate) mod schema;
pub(crate) mod scope;
pub(crate) mod scope_rows;
pub(crate) mod slots;
pub(crate) mod sqlite;
pub(crate) mod sqlite_file;
pub(crate) mod store;
mod structured_rules;
pub(crate) mod tombstones;
pub(crate) mod transaction;
pub(crate) mod transitions;
pub(crate) mod triples;
pub(crate) mod unanswered;
pub(crate) mod upsert;
pub(crate) mod vectors;
pub(crate) mod versions;

pub use acts::{Act, ActChange, ActCounts, Actor, UndoReport};
pub use batch::CounterUpdate;
pub use check::{Damage, check_facts};
pub use clock_leap::ClockLeap;
pub use delete::DeletionReport;
pub use digest::Digest;
pub use end_cause::EndCause;
pub use entities::{Entity, EntityFilter, Related};
pub use filter::FactFilter;
pub use filter::FactOptions;
pub use filter::Retention;
pub use fingerprint::FactVectors;
pub use mentions::MentionReport;
pub use outcomes::OutcomeTally;
pub use quota::{DERIVED_CONFIDENCE, DERIVED_IMPORTANCE, DERIVED_KEPT, arrival_confidence};
pub use rows::EVIDENCE_KEPT;
pub use scope_rows::Scope;
pub use slots::{Effects, NewerFact, Resolution, Verdict};
pub use store::{FactChange, FactRevision, FactStore, StoreVersion};
pub use transitions::{DISPUTED, ENDED, FOLLOWED, Link, PRESUMED, Relation};
pub use triples::{NewTriple, Triple, TripleFilter};
pub use upsert::{SAME_INSIGHT, SAME_MEANING, UpsertOutcome};
pub use versions::FactState;
