//! Records and reports of the fact store as objects of Python.

use bardo_core::consolidate::RecountReport;
use bardo_core::facts::{
    self, Act, Damage, DeletionReport, Entity, FactRevision, FactState, Link, MentionReport, Related, Scope,
    Triple, UndoReport, UpsertOutcome,
};
use bardo_core::model::Id;
use pyo3::prelude::*;

use crate::convert::{IntoObject, Object, as_dict, as_tuple, mirror};

mirror!(
    /// The strongest facts in force; see `_core/_consolidate.pyi`.
    Digest(facts::Digest) { learned, total, categories, facts, disputed, outweighed, links, expires_tick }
);

mirror!(
    /// Numbers of what an act did; see `_core/_facts.pyi`.
    ActCounts(facts::ActCounts) { act, superseded, disputed }
);

/// Outcome of the upsert of one fact.
#[derive(Clone)]
pub struct Stored {
    /// Its id.
    pub id: Id,
    /// How it was taken.
    pub outcome: UpsertOutcome,
}

mirror!(
    /// Outcome of the upsert of one fact.
    Upserted(Stored) { id } as |stored| { outcome = stored.outcome.name() }
);

impl IntoObject for Act {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        let object = |fields| serde_json::Value::Object(fields).to_string();
        let changes = self.changes.into_iter();
        let changes: Vec<_> =
            changes.map(|change| (change.fact, change.before.map(object), object(change.after))).collect();
        (self.number, self.name, self.tick, self.at, self.undone_by, changes).into_object(py)
    }
}

as_tuple! {
    FactRevision { change, fact }
    Damage { table, row, what, repair }
    Entity { name, kind, aliases, mentions, seen }
    FactState { from_tick, to_tick, fact }
    Link { src, dst, relation.name(), weight, tick }
    RecountReport { baselines, deleted }
    Related { name, kind, together }
    Scope { thread, mode }
    Triple { subject, predicate, object, confidence, source, valid_from, valid_to, serial, is_derived }
    UndoReport { act, restored, withdrawn, kept }
}

as_dict! {
    DeletionReport { facts, kept, baselines, memories, entities, triples }
    MentionReport { episodes, facts, entities, mentions, findings }
}
