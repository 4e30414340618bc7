//! Memtable: episodes that are durable in the journal but not yet in redb.
//!
//! An episode is durable with its frame in the journal, and is flushed to redb later, many episodes in one transaction.
//! The flush happens before anything reads the log, without waiting for the disk. It is durable with the next change of
//! another sort, when the journal is full, and when the log is closed. Episodes that redb loses in a crash are replayed
//! from the journal; those up to the last number by arrival are known, so replay is idempotent. Small sets of new
//! vectors are buffered in the same way but are not in the journal: a crash loses them, and they are computed again.

use std::collections::{HashSet, VecDeque};

use super::journal::Journal;
use super::mark::JournalState;
use crate::capture::storage::codec::{self, OrderKey};
use crate::capture::storage::fault::Fault;
use crate::capture::storage::packed_table::{push_number, take_number};
use crate::capture::storage::vector_batch::VectorBatch;
use crate::model::{Annotations, Episode, Fingerprint, Id};

/// Maximum size of the memtable in bytes.
const WAITING_BYTES: usize = 4 * 1024 * 1024;
/// Maximum frame size in bytes: a larger commit goes to redb at once.
pub(crate) const FRAME_BYTES: usize = 1024 * 1024;
/// Maximum number of buffered vectors: as many as a recall finds missing after some episodes were recorded. More are
/// flushed at once.
const FEW_VECTORS: usize = 64;
/// Maximum number of remembered episodes without vectors; beyond it, redb is searched for them.
const LACKING: usize = 4_096;
/// Flags of an episode in the journal.
const IN_ORDER: u8 = 1;
const ANNOTATED: u8 = 2;

/// Episode in the form that is written to redb.
#[derive(Debug)]
pub(crate) struct EpisodeRow {
    pub key: OrderKey,
    pub seq: u64,
    pub in_order: bool,
    /// Sealed value.
    pub body: Vec<u8>,
    pub annotations: Annotations,
    pub subjects: Vec<String>,
    pub thread: Option<String>,
}

/// Pending operation.
#[derive(Debug)]
pub(crate) enum Op {
    Record(EpisodeRow),
    Vectors(Box<(Vec<Id>, VectorBatch, Fingerprint)>),
}

/// Pending operations, in order.
#[derive(Default)]
pub(crate) struct Memtable {
    /// The journal; `None` for a log that is closed or has none.
    pub journal: Option<Journal>,
    /// Operations not durable in redb.
    pub ops: Vec<Op>,
    /// Length of the prefix that was flushed to redb in the opening below.
    pub told: usize,
    opening: u64,
    bytes: usize,
    /// Number of transactions of this opening that waited for the disk.
    pub durable_commits: u64,
    /// Bytes of the commit that the journal had no room for; its next epoch has room.
    pub wanted: Option<usize>,
    /// Every episode without vectors; `None` if unknown.
    pub lacking: Option<VecDeque<OrderKey>>,
    /// Fingerprint of the vectors, once known.
    pub model: Option<Fingerprint>,
}

impl EpisodeRow {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), Fault> {
        let annotated = self.annotations != Annotations::default();
        out.extend_from_slice(&self.key.to_bytes());
        push_number(out, self.seq);
        out.push(if self.in_order { IN_ORDER } else { 0 } | if annotated { ANNOTATED } else { 0 });
        push_number(out, self.body.len() as u64);
        out.extend_from_slice(&self.body);
        if annotated {
            let sealed = codec::encode_annotations(&self.key.id, &self.annotations)?;
            push_number(out, sealed.len() as u64);
            out.extend_from_slice(&sealed);
        }
        Ok(())
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, Fault> {
        let (key, seq, flags, body) = Self::parts(bytes).ok_or_else(cut)?;
        let annotations = if flags & ANNOTATED == 0 {
            Annotations::default()
        } else {
            let sealed = run(bytes).ok_or_else(cut)?;
            codec::decode_annotations(&key.id, sealed)?
        };
        let episode = codec::decode_episode(&key, body, annotations)?;
        Ok(Self {
            key,
            seq,
            in_order: flags & IN_ORDER != 0,
            body: body.to_vec(),
            annotations,
            subjects: episode.subjects,
            thread: episode.thread,
        })
    }

    fn parts<'b>(bytes: &mut &'b [u8]) -> Option<(OrderKey, u64, u8, &'b [u8])> {
        let (key, rest) = bytes.split_first_chunk()?;
        *bytes = rest;
        let seq = take_number(bytes)?;
        let (&flags, rest) = bytes.split_first()?;
        *bytes = rest;
        Some((OrderKey::from_bytes(key), seq, flags, run(bytes)?))
    }

    /// Decodes the episode as the log returns it.
    fn episode(&self) -> Result<Episode, Fault> {
        Ok(codec::decode_episode(&self.key, &self.body, self.annotations)?)
    }
}

/// Reads a length and that many bytes.
fn run<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let length = usize::try_from(take_number(bytes)?).ok()?;
    let (run, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(run)
}

fn cut() -> Fault {
    Fault::Corrupt("an episode in it is cut short".into())
}

/// Encodes the body of a frame.
pub(crate) fn encode(kept: &[EpisodeRow]) -> Result<Vec<u8>, Fault> {
    let mut body = Vec::with_capacity(kept.iter().map(|one| one.body.len() + 64).sum());
    kept.iter().try_for_each(|one| one.encode(&mut body))?;
    Ok(body)
}

/// Decodes the episodes of frames as the log returns them, each with its number by arrival. Skips unreadable ones.
pub(crate) fn episodes_in(frames: &[Vec<u8>]) -> Vec<(u64, Episode)> {
    let mut found = Vec::new();
    for frame in frames {
        let mut rest = frame.as_slice();
        while !rest.is_empty()
            && let Ok(kept) = EpisodeRow::decode(&mut rest)
        {
            found.extend(kept.episode().map(|episode| (kept.seq, episode)));
        }
    }
    found
}

/// Adds the episodes of the frames after the arrival `last` to `found`; earlier ones are in redb.
pub(crate) fn decode(frames: &[Vec<u8>], mut last: u64, found: &mut Vec<Op>) -> Result<(), String> {
    for frame in frames {
        let mut rest = frame.as_slice();
        while !rest.is_empty() {
            let kept = EpisodeRow::decode(&mut rest).map_err(|fault| match fault {
                Fault::Corrupt(what) => format!("is broken: {what}"),
                _ => "is broken: an episode in it cannot be read".to_owned(),
            })?;
            if kept.seq > last + 1 {
                let (next, had) = (kept.seq, last);
                return Err(format!(
                    "goes on at arrival {next} and the log ends at {had}: they are not of the same time"
                ));
            }
            if kept.seq == last + 1 {
                last += 1;
                found.push(Op::Record(kept));
            }
        }
    }
    Ok(())
}

impl Memtable {
    /// Whether a commit with the given bytes of episodes may stay in the memtable; a durable one goes through the
    /// journal, whose next epoch has room for it.
    pub fn takes(&mut self, bytes: usize, durable: bool) -> bool {
        if bytes > FRAME_BYTES || self.bytes + bytes > WAITING_BYTES {
            return false;
        }
        let takes = !durable || self.journal.as_ref().is_some_and(|journal| journal.takes(bytes));
        self.wanted = (!takes).then_some(bytes);
        takes
    }

    /// Whether vectors may stay in the memtable: there are few, and all are known to be missing.
    pub fn takes_vectors(&self, ids: &[Id], batch: &VectorBatch, given: &Fingerprint) -> bool {
        let bytes = bytes_of(batch);
        ids.len() <= FEW_VECTORS
            && self.bytes + bytes <= WAITING_BYTES
            && self.model.as_ref().is_some_and(|model| model.require(given).is_ok())
            && self
                .lacking
                .as_ref()
                .is_some_and(|lacking| ids.iter().all(|id| lacking.iter().any(|key| key.id == *id)))
    }

    /// Adds episodes that are in the journal.
    pub fn push(&mut self, kept: Vec<EpisodeRow>) {
        self.bytes += kept.iter().map(|one| one.body.len()).sum::<usize>();
        self.lack(kept.iter().map(|one| one.key));
        self.ops.extend(kept.into_iter().map(Op::Record));
    }

    /// Adds vectors.
    pub fn push_vectors(&mut self, ids: Vec<Id>, batch: VectorBatch, model: Fingerprint) {
        self.bytes += bytes_of(&batch);
        self.have(&ids);
        self.ops.push(Op::Vectors(Box::new((ids, batch, model))));
    }

    /// Records that new episodes have no vectors.
    pub fn lack(&mut self, keys: impl Iterator<Item = OrderKey>) {
        if let Some(lacking) = &mut self.lacking {
            lacking.extend(keys);
            if lacking.len() > LACKING {
                self.lacking = None;
            }
        }
    }

    /// Records that episodes have their vectors.
    pub fn have(&mut self, ids: &[Id]) {
        if let Some(lacking) = &mut self.lacking {
            let ids: HashSet<&Id> = ids.iter().collect();
            lacking.retain(|key| !ids.contains(&key.id));
        }
    }

    /// Whether every episode is known to have its vectors.
    pub fn is_embedded(&self) -> bool {
        self.lacking.as_ref().is_some_and(VecDeque::is_empty)
    }

    /// Aligns the memtable with an opening of the file. Changes flushed to an earlier opening may be lost, and
    /// another process may have had the file.
    pub fn align(&mut self, opening: u64) {
        if self.opening != opening {
            (self.opening, self.told, self.lacking, self.durable_commits) = (opening, 0, None, 0);
            if let Some(journal) = &mut self.journal {
                journal.reset_position();
            }
        }
    }

    /// [`Memtable::align`] for the first opening, whose journal was just read.
    pub fn begin(&mut self, journal: Journal, ops: Vec<Op>, opening: u64) {
        (self.journal, self.ops, self.opening) = (Some(journal), ops, opening);
    }

    /// Empties the memtable: redb holds it durably, and has named the epoch that begins now, if there is one.
    pub fn clear(&mut self, begun: Option<JournalState>) {
        self.ops.clear();
        (self.told, self.bytes) = (0, 0);
        self.durable_commits += 1;
        if let (Some(journal), Some(mark)) = (&mut self.journal, begun) {
            journal.start(&mark);
        }
    }

    /// The first episode not flushed to redb: the others lie after it.
    pub fn first_unflushed(&self) -> Option<OrderKey> {
        self.ops[self.told.min(self.ops.len())..].iter().find_map(|op| match op {
            Op::Record(kept) => Some(kept.key),
            Op::Vectors(_) => None,
        })
    }

    /// The episode at a place, if it is in the memtable.
    pub fn episode(&self, key: &OrderKey) -> Result<Option<Episode>, Fault> {
        let found = self.ops.iter().rev().find_map(|op| match op {
            Op::Record(kept) if kept.key == *key => Some(kept),
            _ => None,
        });
        found.map(EpisodeRow::episode).transpose()
    }
}

/// Bytes of vectors in the memtable.
fn bytes_of(batch: &VectorBatch) -> usize {
    (batch.whole.len() + batch.sentences.len()) * size_of::<f32>()
        + batch.tokens.iter().map(Vec::len).sum::<usize>()
}
