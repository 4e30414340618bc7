//! Rhythms and bursts: at which hours and on which days something happens, and whether it comes in heaps.

use std::collections::BTreeMap;

use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

use super::e_values::{log_e_value, log_mean};
use super::permutation_test::{generator, p_value};
use super::window::{EpisodeTime, Label, Window};

/// Events in a window below which no heap is looked for.
pub(crate) const LEAST: usize = 8;
/// Parts of a window's span in which a heap is looked for.
const PARTS: [u64; 2] = [32, 8];
/// Days (or weeks) on which something must have happened before its hours (or days) are compared.
const LEAST_BLOCKS: usize = 6;
/// Draws from which the expected number of each hour is estimated, before the test.
const PILOT: u32 = 200;
const HOUR: i64 = 3_600_000_000;
const DAY: i64 = 24 * HOUR;
/// The first of January 1970 was a Thursday; weeks begin on Monday.
const MONDAY: i64 = 3 * DAY;

/// Result of testing a window for clusters in time.
#[derive(Clone, Debug)]
pub(crate) struct BurstResult {
    /// Logarithm of the winnings.
    pub log_e_value: f64,
    /// The most events within `within` ticks.
    pub most: u64,
    /// The most that an even background would have had, on average.
    pub expected: f64,
    /// Ticks.
    pub within: u64,
}

/// Tests the events of one sort against a Poisson background: given their number, each could have happened at any tick of
/// the window. The statistic is the scan statistic (Naus, 1965): the most events in any stretch of a given length.
pub(crate) fn bursts(window: &Window, label: &Label) -> Option<BurstResult> {
    let ticks = window.ticks(label);
    let (first, last) = window.span();
    if ticks.len() < LEAST || last - first < PARTS[0] {
        return None;
    }
    let mut draws = generator(&format!("bursts of {}", label.words()), window.number);
    let tested = PARTS.map(|parts| {
        let within = (last - first) / parts;
        let most = fullest(&ticks, within);
        let mut elsewhere = ticks.clone();
        let (p, expected) = p_value(most as f64, || {
            for tick in &mut elsewhere {
                *tick = draws.random_range(first..=last);
            }
            elsewhere.sort_unstable();
            fullest(&elsewhere, within) as f64
        });
        BurstResult { log_e_value: log_e_value(p), most: most as u64, expected, within }
    });
    let winnings = log_mean(&[tested[0].log_e_value, tested[1].log_e_value]);
    let best = tested.into_iter().max_by(|a, b| a.log_e_value.total_cmp(&b.log_e_value))?;
    Some(BurstResult { log_e_value: winnings, ..best })
}

/// The most of these sorted ticks within any stretch of this length.
fn fullest(ticks: &[u64], within: u64) -> usize {
    let mut begin = 0;
    let mut most = 0;
    for (end, tick) in ticks.iter().enumerate() {
        while tick - ticks[begin] >= within.max(1) {
            begin += 1;
        }
        most = most.max(end - begin + 1);
    }
    most
}

/// The clock that a rhythm keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// Hours of the day, UTC.
    Hours,
    /// Days of the week, UTC.
    Weekdays,
}

impl Clock {
    /// The block (a day, a week) and the slot in it (an hour, a day) of a moment.
    fn place(self, at: i64) -> (i64, usize) {
        let (block, slot, shift) = match self {
            Self::Hours => (DAY, HOUR, 0),
            Self::Weekdays => (7 * DAY, DAY, MONDAY),
        };
        let at = at.saturating_add(shift);
        (at.div_euclid(block), (at.rem_euclid(block) / slot) as usize)
    }

    const fn slots(self) -> usize {
        match self {
            Self::Hours => 24,
            Self::Weekdays => 7,
        }
    }
}

/// Result of testing a rhythm on some days or weeks.
#[derive(Clone, Debug)]
pub(crate) struct RhythmResult {
    /// Logarithm of the winnings.
    pub log_e_value: f64,
    /// Days or weeks on which it happened, by hour or day.
    pub happened: Vec<f64>,
    /// Days or weeks on which it would have happened by chance, by hour or day.
    pub expected: Vec<f64>,
    /// Days or weeks on which it happened at all.
    pub blocks: u64,
    /// How often it happened.
    pub events: u64,
}

/// One day or week: how many episodes each slot had, and in which of them the events happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Block {
    number: i64,
    active: Vec<f64>,
    occupied: Vec<usize>,
    events: u64,
}

impl Block {
    fn empty(number: i64, clock: Clock) -> Self {
        Self { number, active: vec![0.0; clock.slots()], occupied: Vec::new(), events: 0 }
    }
}

/// How many episodes of a window each slot of each of its days and weeks has, by the number of the block: every rhythm is
/// held against it.
#[derive(Debug, Default)]
pub(crate) struct Activity {
    hours: BTreeMap<i64, Vec<f64>>,
    weekdays: BTreeMap<i64, Vec<f64>>,
}

impl Activity {
    /// The activity at these moments.
    pub fn of(moments: &[EpisodeTime]) -> Self {
        let counted = |clock: Clock| {
            let mut blocks: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
            for moment in moments {
                let (number, slot) = clock.place(moment.at);
                blocks.entry(number).or_insert_with(|| vec![0.0; clock.slots()])[slot] += 1.0;
            }
            blocks
        };
        Self { hours: counted(Clock::Hours), weekdays: counted(Clock::Weekdays) }
    }

    const fn by(&self, clock: Clock) -> &BTreeMap<i64, Vec<f64>> {
        match clock {
            Clock::Hours => &self.hours,
            Clock::Weekdays => &self.weekdays,
        }
    }
}

/// Adds a window to the days or weeks that wait to be tested, and tests those that are over once they are enough: an agent
/// whose windows last an hour has rhythms as well as one whose windows last a month.
pub(crate) fn rhythm(
    window: &Window,
    label: &Label,
    clock: Clock,
    waiting: &[Block],
) -> (Option<RhythmResult>, Vec<Block>) {
    let mut over = collect_blocks(window, label, clock, waiting);
    let Some((_, open)) = over.pop_last() else { return (None, Vec::new()) };
    let over: Vec<Block> = over.into_values().filter(|block| !block.occupied.is_empty()).collect();
    if over.len() < LEAST_BLOCKS {
        return (None, over.into_iter().chain([open]).collect());
    }
    (Some(test_rhythm(&over, label, clock, window.number)), vec![open])
}

/// Tests whether one sort of event prefers an hour of the day or a day of the week, beyond the hours and days at which
/// anything is noted at all.
///
/// An event counts once per slot, so that one burst is no rhythm. Under chance the slots that it took on each day are
/// drawn from that day's active ones, busier ones more often (Efraimidis and Spirakis, 2006). The statistic is the
/// largest standardised excess of any slot.
fn test_rhythm(blocks: &[Block], label: &Label, clock: Clock, window: u64) -> RhythmResult {
    let mut draws = generator(&format!("{clock:?} of {}", label.words()), window);
    let mut expected = vec![0.0; clock.slots()];
    for _ in 0..PILOT {
        for (total, count) in expected.iter_mut().zip(draw(blocks, clock, &mut draws)) {
            *total += count / f64::from(PILOT);
        }
    }
    let excess =
        |counts: &[f64]| standing_out(counts, &expected, blocks.len() as f64).map_or(0.0, |(most, _)| most);
    let mut counts = vec![0.0; clock.slots()];
    for slot in blocks.iter().flat_map(|block| &block.occupied) {
        counts[*slot] += 1.0;
    }
    let (p, _) = p_value(excess(&counts), || excess(&draw(blocks, clock, &mut draws)));
    RhythmResult {
        log_e_value: log_e_value(p),
        happened: counts,
        expected,
        blocks: blocks.len() as u64,
        events: blocks.iter().map(|block| block.events).sum(),
    }
}

/// By how many standard deviations the slot stands out that does so most, and which it is.
pub(crate) fn standing_out(happened: &[f64], expected: &[f64], blocks: f64) -> Option<(f64, usize)> {
    let standard = |slot: usize| {
        let share = expected[slot] / blocks;
        (happened[slot] - expected[slot]) / (blocks * share * (1.0 - share)).max(0.25).sqrt()
    };
    (0..happened.len().min(expected.len()))
        .map(|slot| (standard(slot), slot))
        .max_by(|a, b| a.0.total_cmp(&b.0))
}

/// The days or weeks that wait and those of a window, by their number.
fn collect_blocks(window: &Window, label: &Label, clock: Clock, waiting: &[Block]) -> BTreeMap<i64, Block> {
    // A stored block of another shape would be of another clock.
    let whole = waiting.iter().filter(|block| block.active.len() == clock.slots());
    let mut blocks: BTreeMap<i64, Block> = whole.map(|block| (block.number, block.clone())).collect();
    for (number, active) in window.activity.by(clock) {
        let block = blocks.entry(*number).or_insert_with(|| Block::empty(*number, clock));
        for (total, more) in block.active.iter_mut().zip(active) {
            *total += more;
        }
    }
    for position in window.events.get(label).into_iter().flatten() {
        let (number, slot) = clock.place(window.moments[*position].at);
        let block = blocks.entry(number).or_insert_with(|| Block::empty(number, clock));
        block.events += 1;
        if !block.occupied.contains(&slot) {
            block.occupied.push(slot);
        }
    }
    blocks
}

/// On how many blocks each slot is taken, by chance.
fn draw(blocks: &[Block], clock: Clock, draws: &mut Pcg64Mcg) -> Vec<f64> {
    let mut counts = vec![0.0; clock.slots()];
    let mut keys: Vec<(f64, usize)> = Vec::new();
    for block in blocks {
        keys.clear();
        let active = block.active.iter().enumerate().filter(|(_, busy)| **busy > 0.0);
        keys.extend(active.map(|(slot, busy)| (draws.random::<f64>().ln() / busy, slot)));
        keys.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        for (_, slot) in &keys[..block.occupied.len()] {
            counts[*slot] += 1.0;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_and_weekdays_are_those_of_the_calendar() {
        // 2024-02-29 13:45 UTC was a Thursday.
        let at = 1_709_214_300_000_000;
        assert_eq!(Clock::Hours.place(at).1, 13);
        assert_eq!(Clock::Weekdays.place(at).1, 3);
        assert_eq!(Clock::Hours.place(-1).1, 23);
    }

    #[test]
    fn the_fullest_stretch_is_found() {
        assert_eq!(fullest(&[0, 10, 11, 12, 30], 3), 3);
        assert_eq!(fullest(&[0, 10, 11, 13, 30], 3), 2);
        assert_eq!(fullest(&[5, 5, 5], 0), 3);
    }
}
