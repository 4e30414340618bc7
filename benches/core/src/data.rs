//! Memories that look like those of an agent: words by Zipf's law, vectors in clusters, a fixed seed.

use bardo_core::index::hot::HotSet;
use bardo_core::model::{Annotations, Episode, Id, Micros, Role, Value};

/// Components of a vector: those of MiniLM.
pub const DIMS: usize = 384;
/// Ranks of the words that carry content: those before are stop words, from [`STOP_WORDS`].
const RANKS: (f64, f64) = (50.0, 30_000.0);
/// Half of what is said, in English (they are half of the Brown corpus).
const STOP_WORDS: [&str; 12] = ["the", "of", "and", "to", "a", "in", "that", "is", "was", "he", "for", "it"];
const STOP_SHARE: f64 = 0.5;
/// Words of a text, from and to.
const WORDS: (usize, usize) = (10, 26);
/// Words of a question.
const QUESTION_WORDS: usize = 9;
/// How far a vector lies from the middle of its cluster, and a question from what it asks for, as the share of a
/// component: nearest neighbours then have cosines of 0.5 to 0.8, as texts on one topic do.
const SCATTER: (f32, f32) = (1.0, 0.7);
/// Between two memories.
const MICROS_BETWEEN: Micros = 60_000_000;

/// Numbers that look random, the same for the same seed (`SplitMix64`; Steele et al. 2014).
#[derive(Clone, Debug)]
pub struct Numbers(pub u64);

impl Numbers {
    /// Any number.
    pub fn any(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below another.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.any() % bound as u64) as usize
    }

    /// From 0 to 1.
    pub fn share(&mut self) -> f64 {
        (self.any() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// About normal, with a mean of 0 and a deviation of 1 (Irwin-Hall).
    pub fn normal(&mut self) -> f32 {
        ((0..6).map(|_| self.share()).sum::<f64>() - 3.0) as f32 * std::f32::consts::SQRT_2
    }
}

/// So many memories, and questions about them.
#[derive(Debug)]
pub struct World {
    /// Episodes in order of time.
    pub episodes: Vec<Episode>,
    /// One row of [`DIMS`] for each episode.
    pub vectors: Vec<Vec<f32>>,
    /// Questions in words with their vectors.
    pub questions: Vec<(String, Vec<f32>)>,
    /// The latest instant.
    pub now: Micros,
}

impl World {
    /// Makes one; the same arguments give the same world.
    #[must_use]
    pub fn new(count: usize, questions: usize, seed: u64) -> Self {
        let mut numbers = Numbers(seed);
        let clusters: Vec<Vec<f32>> = (0..(count / 50).max(1)).map(|_| vector(&mut numbers)).collect();
        let mut texts = Vec::with_capacity(count);
        let mut vectors = Vec::with_capacity(count);
        for _ in 0..count {
            let words = WORDS.0 + numbers.below(WORDS.1 - WORDS.0);
            texts.push((0..words).map(|_| word(&mut numbers)).collect::<Vec<_>>().join(" "));
            let cluster = numbers.below(clusters.len());
            vectors.push(near(&clusters[cluster], SCATTER.0, &mut numbers));
        }
        let questions = (0..questions)
            .map(|_| {
                let about = numbers.below(count);
                let mut words: Vec<String> = texts[about].split(' ').take(5).map(Into::into).collect();
                words.extend((words.len()..QUESTION_WORDS).map(|_| word(&mut numbers)));
                (words.join(" "), near(&vectors[about], SCATTER.1, &mut numbers))
            })
            .collect();
        let episodes = (1..).zip(texts).map(|(at, text)| episode(at, text)).collect();
        Self { now: moment(count as u64), episodes, vectors, questions }
    }

    /// All of it in memory.
    ///
    /// # Panics
    /// If the hot set refuses what was made here.
    #[must_use]
    pub fn hot(&self) -> HotSet {
        let mut hot = HotSet::default();
        for (episode, vector) in self.episodes.iter().zip(&self.vectors) {
            hot.add_episode(episode).expect("a valid episode");
            hot.set_vectors(&episode.id, vector, &[]).expect("a valid vector");
        }
        hot
    }
}

/// One memory by its number.
#[must_use]
pub fn episode(number: u64, text: String) -> Episode {
    Episode {
        id: Id(u128::from(number).to_be_bytes()),
        text,
        tick: number,
        at: moment(number),
        event_index: 0,
        kind: "event".into(),
        role: Role::Environment,
        speaker: None,
        subjects: Vec::new(),
        payload: Value::Null,
        thread: None,
        session: None,
        mode: None,
        curiosity: 0.0,
        pad: [0.0; 3],
        content_hash: 0,
        annotations: Annotations::default(),
    }
}

/// When a memory was made.
fn moment(number: u64) -> Micros {
    number.cast_signed() * MICROS_BETWEEN
}

/// A word by Zipf's law: the one of rank r comes about 1/r as often as the first.
fn word(numbers: &mut Numbers) -> String {
    const SYLLABLES: [&str; 16] = [
        "ba", "do", "ki", "lo", "mu", "ne", "pra", "ri", "sto", "ta", "ul", "vex", "wan", "xo", "yel", "zim",
    ];
    if numbers.share() < STOP_SHARE {
        return STOP_WORDS[numbers.below(STOP_WORDS.len())].into();
    }
    let rank = (RANKS.0 * (RANKS.1 / RANKS.0).powf(numbers.share())) as usize;
    let mut rest = rank * 7 + 1;
    let mut word = String::new();
    while rest > 0 {
        word.push_str(SYLLABLES[rest % SYLLABLES.len()]);
        rest /= SYLLABLES.len();
    }
    word
}

fn vector(numbers: &mut Numbers) -> Vec<f32> {
    (0..DIMS).map(|_| numbers.normal()).collect()
}

fn near(center: &[f32], scatter: f32, numbers: &mut Numbers) -> Vec<f32> {
    center.iter().map(|part| part + scatter * numbers.normal()).collect()
}
