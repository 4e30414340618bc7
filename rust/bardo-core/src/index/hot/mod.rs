//! The hot set: every memory that recall searches, as rows in memory.
//!
//! [`HotSet`] composes postings, vectors and the graph of entities. `sync` fills it from the log and the facts,
//! `changes` checks cheaply whether a sync is needed, and `snapshot` saves it without its vectors.
//!
//! Beyond the limit of episodes (`index.hot_limit`) the oldest are evicted: those are found through LanceDB, in
//! Python.

pub(crate) mod changes;
pub(crate) mod conversations;
pub(crate) mod graph;
pub(crate) mod graph_feed;
pub(crate) mod hot_set;
pub(crate) mod interner;
pub(crate) mod recent;
pub(crate) mod row;
pub(crate) mod snapshot;
pub(crate) mod sync;

pub use changes::{ChangeDetector, Changes};
pub use graph::{Bearing, Correction, ReachedMemory};
pub use hot_set::HotSet;
pub use interner::{Interner, NO_NAME, Symbol};
pub use row::{FactRow, Layer, NamedSlot, Row};
pub use snapshot::{OpenReport, SNAPSHOT_FILE};
pub use sync::Origin;
