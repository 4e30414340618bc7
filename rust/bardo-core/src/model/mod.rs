//! Values of every stage: episodes, facts, and the small types they are made of. No I/O.

pub mod calendar;
pub mod decay;
mod episode;
mod fact;
mod fingerprint;
mod id;
mod mode;
mod statement;
pub mod statistics;
mod value;

pub use episode::{Annotations, Episode, INHERITED_KIND, Role, limits};
pub(crate) use episode::{check_name, check_unit};
pub use fact::Persistence;
pub(crate) use fact::is_from_death;
pub use fact::{Fact, FactKind, FactPayload, FactStatus, Metadata, Quality, STATISTICS, Source};
pub use fingerprint::Fingerprint;
pub use id::{Id, IdSource};
pub use mode::{modes_with, share_a_mode};
pub use statement::{Statement, VALUE_BYTES};
pub use value::Value;

/// Pleasure, arousal, dominance, each in [-1, 1] (Mehrabian 1996); all zeros means none recorded.
pub type Pad = [f32; 3];

/// Microseconds since the Unix epoch, UTC.
pub type Micros = i64;
