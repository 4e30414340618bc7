//! Synchronises the graph in memory with the names, links and triples in `facts.db`.

use rusqlite::{Connection, Row};

use super::graph::{Bearing, Correction, Graph, GraphWatermark};
use super::hot_set::HotSet;
use crate::error::Result;
use crate::facts::FactStore;
use crate::facts::names_state::NAMES_EPOCH;
use crate::facts::sqlite::Step;
use crate::facts::transaction::EDGES;
use crate::facts::transaction::counter;
use crate::model::Id;
use crate::text::gazetteer::EntitySerial;

impl FactStore {
    /// Watermark of a synchronised graph.
    pub(crate) fn names_taken(&self) -> Result<GraphWatermark> {
        self.read(|connection| {
            let memory: Option<i64> = connection
                .prepare_cached("SELECT max(serial) FROM memories")?
                .query_row([], |row| row.get(0))?;
            Ok(GraphWatermark {
                epoch: counter(connection, NAMES_EPOCH)?,
                memory: memory.unwrap_or(0),
                edges: counter(connection, EDGES)?,
            })
        })
    }

    /// Synchronises the graph of a hot set: new mentions, or all of them after a merge or a deletion. Skips
    /// memories that the hot set does not hold.
    pub(crate) fn follow_graph(&self, hot: &mut HotSet) -> Result<()> {
        let now = self.names_taken()?;
        let mut graph = std::mem::take(&mut hot.graph);
        if now == graph.taken {
            hot.graph = graph;
            return Ok(());
        }
        if now.epoch != graph.taken.epoch {
            graph = Graph::default();
        }
        let mut taken = graph.taken;
        self.read(|connection| {
            graph.names.follow(connection)?;
            let mut statement = connection.prepare_cached(
                "SELECT memories.serial, id, entity FROM memories JOIN mentions ON mentions.memory = memories.serial
                 WHERE memories.serial > ?1 AND memories.serial <= ?2 ORDER BY memories.serial",
            )?;
            let mut found = statement.query([taken.memory, now.memory])?;
            let mut waiting: Option<(Id, Vec<EntitySerial>)> = None;
            while let Some(row) = found.next()? {
                let (id, entity) = (Id(row.get(1)?), row.get(2)?);
                match &mut waiting {
                    Some((known, entities)) if *known == id => entities.push(entity),
                    _ => {
                        put(&mut graph, hot, waiting.replace((id, vec![entity])));
                    }
                }
            }
            put(&mut graph, hot, waiting);
            if now.edges != taken.edges || now.epoch != taken.epoch {
                let slots = |row: &Row<'_>| Ok(hot.slot(&Id(row.get(0)?)).zip(hot.slot(&Id(row.get(1)?))));
                let links =
                    edges(connection, "SELECT src, dst, intact FROM links WHERE relation <> 'corrects'", slots)?;
                graph.set_corrections(corrections(connection, hot)?);
                let triples =
                    edges(connection, "SELECT subject, object, source, valid_to, intact FROM triples", |row| {
                        let (source, ended) = (row.get::<_, Option<_>>(2)?, row.get::<_, Option<i64>>(3)?);
                        let source = source.filter(|_| ended.is_none()).and_then(|id| hot.slot(&Id(id)));
                        Ok(Some((row.get(0)?, row.get(1)?, source)))
                    })?;
                graph.set_edges(&triples, &links);
            }
            Ok(())
        })?;
        taken = now;
        graph.taken = taken;
        hot.graph = graph;
        Ok(())
    }
}

/// Corrections of memories. Facts that contradict each other are linked both ways: the later one disputes the other.
fn corrections(connection: &Connection, hot: &HotSet) -> Step<Vec<(Id, Correction)>> {
    let mut found =
        edges(connection, "SELECT dst, src, weight, intact FROM links WHERE relation = 'corrects'", |row| {
            let (by, weight) = (Id(row.get(1)?), row.get::<_, f64>(2)?);
            let correction = Correction { by, bearing: Bearing::of_weight(weight) };
            Ok(Some((Id(row.get(0)?), correction)))
        })?;
    let disputes =
        edges(connection, "SELECT src, dst, intact FROM links WHERE relation = 'contradicts'", |row| {
            Ok(Some((Id(row.get(0)?), Id(row.get(1)?))))
        })?;
    found.extend(disputes.into_iter().filter_map(|(older, by)| {
        let (first, second) = hot.find(&older).zip(hot.find(&by))?;
        (first.order() < second.order()).then_some((older, Correction { by, bearing: Bearing::Disputes }))
    }));
    Ok(found)
}

fn put(graph: &mut Graph, hot: &HotSet, memory: Option<(Id, Vec<EntitySerial>)>) {
    if let Some((id, entities)) = memory
        && let Some(slot) = hot.slot(&id)
    {
        graph.set(slot, entities);
    }
}

fn edges<T>(
    connection: &Connection,
    query: &str,
    read: impl Fn(&Row<'_>) -> rusqlite::Result<Option<T>>,
) -> Step<Vec<T>> {
    let mut statement = connection.prepare_cached(query)?;
    let found = statement.query_map([], read)?.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(found.into_iter().flatten().collect())
}
