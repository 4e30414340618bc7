//! Records and reports of the fact store as objects of Python.

use bardo_core::facts::{self, Act, Entity, DeletionReport, Link, UpsertOutcome, MentionReport, Related, Triple, UndoReport};
use bardo_core::model::Id;
use pyo3::prelude::*;

use crate::convert::{IntoObject, Object, fields, mirror};

mirror!(
    /// The strongest facts in force; see `_core/_consolidate.pyi`.
    Digest(facts::Digest) { learned, total, categories, facts, disputed, outweighed, links, expires_tick }
);

/// UpsertOutcome of one fact of an `upsert`.
#[derive(Clone)]
pub struct Stored {
    /// Its id.
    pub id: Id,
    /// How it was taken.
    pub outcome: UpsertOutcome,
}

mirror!(
    /// UpsertOutcome of one fact of an `upsert`.
    Upserted(Stored) { id } as |stored| { outcome = stored.outcome.name() }
);

impl IntoObject for Link {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        (self.src, self.dst, self.relation.name(), self.weight, self.tick).into_object(py)
    }
}

impl IntoObject for Act {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        let object = |fields| serde_json::Value::Object(fields).to_string();
        let changes = self.changes.into_iter();
        let changes: Vec<_> =
            changes.map(|change| (change.fact, change.before.map(object), object(change.after))).collect();
        (self.number, self.name, self.tick, self.at, self.undone_by, changes).into_object(py)
    }
}

impl IntoObject for UndoReport {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        (self.act, self.restored, self.withdrawn, self.kept).into_object(py)
    }
}

impl IntoObject for DeletionReport {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        fields!(py, self, facts, kept, baselines, memories, entities, triples)
    }
}

impl IntoObject for MentionReport {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        fields!(py, self, episodes, facts, entities, mentions, findings)
    }
}

impl IntoObject for Entity {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        (self.name, self.kind, self.aliases, self.mentions, self.seen).into_object(py)
    }
}

impl IntoObject for Related {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        (self.name, self.kind, self.together).into_object(py)
    }
}

impl IntoObject for Triple {
    fn into_object(self, py: Python<'_>) -> Object<'_> {
        let (from, to) = (self.valid_from, self.valid_to);
        let (subject, predicate, object) = (self.subject, self.predicate, self.object);
        (subject, predicate, object, self.confidence, self.source, from, to, self.serial, self.is_derived)
            .into_object(py)
    }
}
