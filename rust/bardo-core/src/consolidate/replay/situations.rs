//! Situations: episodes of similar content under any name.
//!
//! Found in one window by their vectors, a situation is a condition like any other: whether something differs in it is
//! tested on later windows.

use serde::{Deserialize, Serialize};

use crate::consolidate::discovery::window::{EpisodeContent, Window};
use crate::consolidate::fact_text::one_line;
use crate::facts::schema::Direction;
use crate::model::Id;

/// Cosine to the middle from which an episode belongs to a situation. Measured on MiniLM: paraphrases lie above .7,
/// other texts of the same topic around .5.
const ALIKE: f64 = 0.6;
/// Cosine from which two situations are one.
const SAME: f64 = 0.8;
/// Beginnings of situations that one window may have.
const LEADERS: usize = 64;
/// Situations of a window that are looked at, the largest first.
const LARGEST: usize = 16;
/// Bytes of the text that stands for it.
const QUOTE_BYTES: usize = 80;
/// One in the stored form of a component.
const UNIT: f32 = 127.0;

/// Centre of a group of similar episodes.
#[derive(Clone, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct Situation {
    /// The beginning of the episode in its middle.
    pub quote: String,
    /// That episode.
    pub episode: Id,
    /// The model of the vectors.
    model: String,
    /// The mean of its episodes' directions, 127 for one.
    middle: Vec<i8>,
}

impl Situation {
    /// For each episode of a window, whether it is in it; none is whose vector is of another model.
    pub(crate) fn members(&self, window: &Window) -> Vec<bool> {
        if window.model.as_ref() != Some(&self.model) {
            return vec![false; window.said.len()];
        }
        let middle = self.direction();
        let is_in = |said: &Option<EpisodeContent>| {
            said.as_ref().is_some_and(|said| middle.cosine(&said.direction) >= ALIKE)
        };
        window.said.iter().map(is_in).collect()
    }

    /// Whether two are one.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.model == other.model && self.direction().cosine(&other.direction()) >= SAME
    }

    fn direction(&self) -> Direction {
        Direction::of(self.middle.iter().map(|part| f32::from(*part)).collect())
    }
}

/// The situations of a window in which at least so many of its episodes are, the largest first.
///
/// Leader clustering (Hartigan, 1975): one walk in the order of time, each episode to the nearest beginning that is near
/// enough, else it begins one.
pub(crate) fn situations(window: &Window, least: usize) -> Vec<Situation> {
    let Some(model) = &window.model else { return Vec::new() };
    let mut clusters: Vec<(&Direction, Vec<usize>)> = Vec::new();
    for (position, said) in window.said.iter().enumerate() {
        let Some(EpisodeContent { direction: vector, .. }) = said else { continue };
        let nearest = clusters
            .iter()
            .map(|(leader, _)| leader.cosine(vector))
            .enumerate()
            .filter(|(_, likeness)| *likeness >= ALIKE)
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        match nearest {
            Some((cluster, _)) => clusters[cluster].1.push(position),
            None if clusters.len() < LEADERS => clusters.push((vector, vec![position])),
            None => {}
        }
    }
    let mut clusters: Vec<Vec<usize>> = clusters.into_iter().map(|(_, members)| members).collect();
    clusters.retain(|cluster| cluster.len() >= least);
    clusters.sort_by_key(|cluster| (usize::MAX - cluster.len(), cluster[0]));
    clusters.truncate(LARGEST);
    clusters.iter().filter_map(|cluster| situation(window, model, cluster)).collect()
}

/// The situation that these episodes are in; none if they point in opposite directions.
fn situation(window: &Window, model: &str, cluster: &[usize]) -> Option<Situation> {
    let vector = |position: usize| window.said[position].as_ref().map(|said| &said.direction);
    let mut sum: Vec<f32> = Vec::new();
    for direction in cluster.iter().filter_map(|position| vector(*position)) {
        sum.resize(direction.parts().len(), 0.0);
        for (total, part) in sum.iter_mut().zip(direction.unit()) {
            *total += part;
        }
    }
    let mean = Direction::of(sum);
    let middle: Vec<i8> = mean.unit().map(|part| (UNIT * part).round() as i8).collect();
    let nearness = |position: usize| vector(position).map_or(0.0, |vector| mean.cosine(vector));
    let central = *cluster.iter().max_by(|a, b| nearness(**a).total_cmp(&nearness(**b)).then(b.cmp(a)))?;
    middle.iter().any(|part| *part != 0).then(|| Situation {
        quote: window.said[central].as_ref().map(|said| said.quote.clone()).unwrap_or_default(),
        episode: window.moments[central].id,
        model: model.to_owned(),
        middle,
    })
}

/// The beginning of a text, in one line.
pub(crate) fn quote(text: &str) -> String {
    let mut line = one_line(&text[..text.floor_char_boundary(4 * QUOTE_BYTES)]);
    if line.len() > QUOTE_BYTES {
        line.truncate(line.floor_char_boundary(QUOTE_BYTES));
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_is_one_short_line_whatever_the_text() {
        assert_eq!(quote("The feed\nlags"), "The feed lags");
        for text in ["é".repeat(400), "word ".repeat(100), "\n".repeat(1_000)] {
            let quote = quote(&text);
            assert!(quote.len() <= QUOTE_BYTES + '…'.len_utf8() && !quote.contains('\n'), "{quote:?}");
        }
    }
}
