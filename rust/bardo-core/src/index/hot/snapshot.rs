//! Snapshot of the hot set on disk without its vectors, so that opening 100,000 episodes takes a fraction of a second.
//! It is derived, checked, and replaced as a whole. Later changes in the log and the facts are replayed, and the
//! vectors are read in one pass over the log (they are two thirds of the bytes of a hot set, which would lie on the
//! disk twice). A snapshot that is damaged, or of another version, model, agent or log, is skipped with the reason, and
//! the log is read instead.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::graph::Graph;
use super::hot_set::HotSet;
use super::interner::{Interner, NO_NAME, Symbol};
use super::recent::RecentEpisodes;
use super::row::Row;
use crate::capture::{EpisodeLog, unavailable};
use crate::error::{Error, Result};
use crate::facts::FactStore;
use crate::hashing::IdMap;
use crate::index::lexical::hashed_term::AnalyzedText;
use crate::index::lexical::posting::NO_GROUP;
use crate::index::lexical::posting::Slot;
use crate::index::lexical::postings::LexicalIndex;
use crate::index::lexical::terms::TermReader;
use crate::index::snapshot_file::{Reader, Writer};
use crate::index::vectors::index::VectorIndex;
use crate::model::{Fingerprint, Id};

/// Name of the file beside the log.
pub const SNAPSHOT_FILE: &str = "hot.snapshot";

/// Format and version. The last bytes are a number in native byte order, since arrays are stored as they are in
/// memory.
const MARK: [&[u8]; 2] = [b"bardo hot set 11\n", &0x0102_0304_u32.to_ne_bytes()];

/// Size of the read and write buffer in bytes.
const BUFFER: usize = 1 << 20;

/// Identity of a snapshot's log and model.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Head {
    agent: String,
    /// Fingerprint of the vectors.
    fingerprint: Option<Fingerprint>,
    /// Watermark: every arrival up to this number is included.
    seq: u64,
    /// Id and content hash of the episode with that number.
    last: Option<(Id, u64)>,
    cold_upto: u64,
    facts_change: u64,
}

/// Parts other than words.
#[derive(Serialize, Deserialize)]
struct Memories {
    rows: Vec<Option<Row>>,
    free: Vec<Slot>,
    names: Vec<Box<str>>,
    conversations: Vec<((Symbol, Symbol), u32)>,
    tails: Vec<Option<Slot>>,
    lengths: Vec<u32>,
    by_time: Vec<Slot>,
}

/// Report on opening a hot set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenReport {
    /// Number of memories restored from the snapshot.
    pub restored: usize,
    /// Number of episodes read from the log.
    pub replayed: u64,
    /// Reason why an existing snapshot was skipped.
    pub refused: Option<String>,
}

impl HotSet {
    /// Opens the hot set of a log and its facts: from the snapshot and later changes, or from the log alone. Arrivals
    /// up to `cold_upto` are left out.
    pub fn open(
        log: &EpisodeLog,
        facts: &FactStore,
        snapshot: &Path,
        cold_upto: u64,
    ) -> Result<(Self, OpenReport)> {
        let (mut hot, opened) = Self::open_without_vectors(log, facts, snapshot, cold_upto)?;
        if opened.restored > 0 {
            hot.read_vectors(log, facts)?;
        }
        Ok((hot, opened))
    }

    /// Opens the hot set in half the time of [`HotSet::open`]. If the snapshot was used (`OpenReport::restored`),
    /// [`HotSet::read_vectors`] must read the vectors before the first search.
    pub fn open_without_vectors(
        log: &EpisodeLog,
        facts: &FactStore,
        snapshot: &Path,
        cold_upto: u64,
    ) -> Result<(Self, OpenReport)> {
        let refused = match restore(log, facts, snapshot, cold_upto) {
            Ok(None) => None,
            Ok(Some(opened)) => return Ok(opened),
            Err(Refusal::Store(error)) => return Err(error),
            Err(Refusal::Snapshot(why)) => Some(format!("{} was passed over: {why}", snapshot.display())),
        };
        let hot = Self::load(log, facts, cold_upto)?;
        let replayed = (hot.len() - hot.facts()) as u64;
        Ok((hot, OpenReport { restored: 0, replayed, refused }))
    }

    /// Writes the snapshot; returns its size in bytes, or 0 without writing while an episode of the log is missing
    /// here.
    pub fn save(&self, log: &EpisodeLog, snapshot: &Path) -> Result<u64> {
        let stats = log.stats()?;
        let here = (self.len() - self.facts()) as u64;
        if here + log.arrivals_between(0, self.cold_upto)?.len() as u64 != stats.episodes {
            return Ok(0);
        }
        let head = Head {
            agent: log.agent().to_owned(),
            fingerprint: log.fingerprint()?,
            seq: stats.last_seq,
            last: last(log, stats.last_seq)?,
            cold_upto: self.cold_upto,
            facts_change: self.facts_change,
        };
        let draft = snapshot.with_extension("new");
        // Not synced: after a power loss the checksum detects an incomplete file.
        let written = self.write(&head, &draft).and_then(|()| std::fs::rename(&draft, snapshot));
        written.and_then(|()| Ok(snapshot.metadata()?.len())).map_err(|error| {
            // The draft may not exist.
            let _ = std::fs::remove_file(&draft);
            let kept = format!("{error}. Nothing is lost: the next opening reads the log instead");
            unavailable("write", snapshot, &std::io::Error::new(error.kind(), kept))
        })
    }

    fn write(&self, head: &Head, path: &Path) -> io::Result<()> {
        let file = BufWriter::with_capacity(BUFFER, File::create(path)?);
        let mut to = Writer::new(file, &MARK.concat())?;
        to.value(head)?;
        let mut conversations: Vec<_> = self.conversations.iter().map(|(key, at)| (*key, *at)).collect();
        conversations.sort_unstable();
        to.value(&Memories {
            rows: self.rows.clone(),
            free: self.free.clone(),
            names: self.names.names().map(Into::into).collect(),
            conversations,
            tails: self.tails.clone(),
            lengths: self.lengths.clone(),
            by_time: self.by_time.clone(),
        })?;
        self.lexical.write(&mut to)?;
        to.finish()?.flush()
    }

    fn read<R: Read>(mut from: Reader<R>, head: &Head) -> io::Result<Self> {
        let rows: Memories = from.value()?;
        let lexical = LexicalIndex::read(&mut from)?;
        from.finish()?;
        let all = || (0..).zip(&rows.rows).filter_map(|(slot, row)| Some((slot, row.as_ref()?)));
        let mut slots =
            IdMap::with_capacity_and_hasher(rows.rows.len(), foldhash::fast::RandomState::default());
        slots.extend(all().map(|(slot, row)| (row.id, slot)));
        Ok(Self {
            sessions: sessions(all()),
            slots,
            times: rows.rows.iter().map(|row| row.as_ref().map_or(0, |row| row.at)).collect(),
            holds_episode: rows
                .rows
                .iter()
                .map(|row| row.as_ref().is_some_and(|row| row.fact.is_none()))
                .collect(),
            facts: all().filter(|(_, row)| row.fact.is_some()).map(|(slot, _)| slot).collect(),
            dangers: all().filter(|(_, row)| row.is_danger()).map(|(slot, _)| slot).collect(),
            free: rows.free,
            names: Interner::of(rows.names),
            lexical,
            reader: TermReader::default(),
            read: AnalyzedText::default(),
            // Read from the log and the facts, where they are stored already: copies would be half of the
            // disk space.
            vectors: VectorIndex::default(),
            conversations: rows.conversations.into_iter().collect(),
            tails: rows.tails,
            lengths: rows.lengths,
            conversation_of: rows
                .rows
                .iter()
                .map(|row| row.as_ref().and_then(|row| row.conversation).unwrap_or(NO_GROUP))
                .collect(),
            by_time: rows.by_time,
            facts_change: head.facts_change,
            facts_learned: None,
            // Rebuilt from the fact store.
            graph: Graph::default(),
            latest: RecentEpisodes::default(),
            // Read with the facts.
            judged: Default::default(),
            cold_upto: head.cold_upto,
            rows: rows.rows,
        })
    }

    /// Updates the annotations of episodes that are in the snapshot.
    fn renew(&mut self, log: &EpisodeLog) -> Result<()> {
        for (id, annotations) in log.annotations()? {
            if let Some(row) = self.slots.get(&id).and_then(|&slot| self.rows[slot as usize].as_mut()) {
                row.importance = annotations.importance;
                row.verified = annotations.verified;
                row.replay_count = annotations.replay_count;
            }
        }
        Ok(())
    }

    /// Reads the vectors of all memories in the hot set from their stores, replacing the present ones.
    pub fn read_vectors(&mut self, log: &EpisodeLog, facts: &FactStore) -> Result<()> {
        let (fact_ids, fact_slots): (Vec<Id>, Vec<Slot>) =
            self.facts.iter().filter_map(|&slot| Some((self.rows[slot as usize].as_ref()?.id, slot))).unzip();
        let dims = log.fingerprint()?.map_or(0, |fingerprint| fingerprint.dims as usize);
        let mut vectors = VectorIndex::with_room(dims, self.len(), self.rows.len());
        log.for_each_vectors(self.cold_upto, |id, rows| match self.slots.get(id) {
            Some(&slot) => vectors.set_rows(slot, rows),
            None => Ok(()),
        })?;
        for (vector, slot) in facts.vectors(&fact_ids)?.into_iter().zip(fact_slots) {
            if let Some(vector) = vector {
                vectors.set(slot, &vector, &[])?;
            }
        }
        self.vectors = vectors;
        Ok(())
    }
}

/// Number of episodes of every session.
fn sessions<'row>(rows: impl Iterator<Item = (Slot, &'row Row)>) -> HashMap<Symbol, u32> {
    let mut sessions = HashMap::new();
    for (_, row) in rows.filter(|(_, row)| row.session != NO_NAME) {
        *sessions.entry(row.session).or_default() += 1;
    }
    sessions
}

/// Reason why there is no hot set from a snapshot.
enum Refusal {
    /// The snapshot is unusable.
    Snapshot(String),
    /// The log or the facts cannot be read.
    Store(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Snapshot(error.to_string())
    }
}

fn refuse<T>(why: &str) -> std::result::Result<T, Refusal> {
    Err(Refusal::Snapshot(why.into()))
}

/// Id and content hash of the episode with a number by arrival.
fn last(log: &EpisodeLog, seq: u64) -> Result<Option<(Id, u64)>> {
    let ids = log.arrivals_between(seq.saturating_sub(1), seq)?;
    let episodes = log.get(&ids)?;
    Ok(episodes.into_iter().flatten().next().map(|episode| (episode.id, episode.content_hash)))
}

fn restore(
    log: &EpisodeLog,
    facts: &FactStore,
    path: &Path,
    cold_upto: u64,
) -> std::result::Result<Option<(HotSet, OpenReport)>, Refusal> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let bytes = file.metadata()?.len();
    let mut from = Reader::new(BufReader::with_capacity(BUFFER, file), bytes, &MARK.concat())?;
    let head: Head = from.value()?;
    if head.agent != log.agent() || head.last != last(log, head.seq)? {
        return refuse("it belongs to another log");
    }
    if head.fingerprint != log.fingerprint()? {
        return refuse("its vectors are of another model");
    }
    if head.facts_change > facts.last_change()? {
        return refuse("it knows of facts that the store does not");
    }
    if head.cold_upto > cold_upto {
        return refuse("the limit of the hot set was raised");
    }
    let mut hot = HotSet::read(from, &head)?;
    let restored = hot.len();
    hot.evict(log, cold_upto)?;
    let replayed = hot.replay(log, head.seq.max(cold_upto))?;
    hot.renew(log)?;
    hot.sync_facts(facts)?;
    let episodes = (hot.len() - hot.facts() + log.arrivals_between(0, cold_upto)?.len()) as u64;
    let stored = facts.stats()?.into_iter().find(|(name, _)| name == "facts").map_or(0, |(_, count)| count);
    if episodes != log.len()? || i64::try_from(hot.facts()).ok() != Some(stored) {
        return refuse("memories were deleted since it was written");
    }
    Ok(Some((hot, OpenReport { restored, replayed, refused: None })))
}
