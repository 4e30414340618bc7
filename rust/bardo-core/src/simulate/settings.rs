//! Settings of the world and of an arm, with the defaults of the experiment.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// World, policy and length of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorldSettings {
    /// Generations of a run.
    pub generations: u32,
    /// Number of venues.
    pub venues: usize,
    /// Number of families of venues.
    pub families: usize,
    /// Standard deviation of a venue's embedding around the centre of its family, per dimension.
    pub embedding_noise: f32,
    /// Share of the payoff variance that the venues of a family have in common.
    pub family_share: f32,
    /// Share of venues whose payoff does not depend on the regime.
    pub structural: f64,
    /// Share of venues that are traps.
    pub traps: f64,
    /// Standard deviation of structural payoffs.
    pub structural_deviation: f32,
    /// Standard deviation of tactical payoffs.
    pub tactical_deviation: f32,
    /// Number of regimes.
    pub regimes: u32,
    /// Mean length of a regime in ticks; 0 for a single regime without end.
    pub dwell: f64,
    /// Probability that a tactical payoff is drawn again when its regime returns.
    pub p_redraw: f64,
    /// Mean ticks until a venue becomes another one under its name; 0 for never.
    pub turnover: f64,
    /// Standard deviation of a market snapshot around the centre of its regime, per dimension.
    pub cue_noise: f32,
    /// Offers per tick.
    pub offers: usize,
    /// Exponent of Zipf's law of the venues' popularity.
    pub zipf: f64,
    /// Standard deviation of a reward around the payoff.
    pub reward_noise: f32,
    /// Payoff of a trap that does not spring.
    pub trap_payoff: f32,
    /// Probability that a trap springs.
    pub spring: f64,
    /// Probability that a sprung trap kills.
    pub lethality: f64,
    /// Loss by a sprung trap that does not kill.
    pub trap_loss: f32,
    /// Capital at birth.
    pub capital: f32,
    /// Largest capital.
    pub capital_limit: f32,
    /// Living cost per tick.
    pub living_cost: f32,
    /// Probability of an accidental death per tick.
    pub hazard: f64,
    /// Longest life in ticks.
    pub life_limit: u32,
    /// Predictive fitness below which an agent dies.
    pub least_fitness: f64,
    /// Age in ticks from which fitness counts.
    pub fitness_age: u32,
    /// Entries read per tick.
    pub entries_read: usize,
    /// Weight of uncertainty in the upper confidence bound.
    pub exploration: f32,
    /// Observations at most that one entry stands for.
    pub pseudo_count: f32,
    /// Whether the score of recall has bardo's factors of trust and of hearsay, beside the four factors.
    pub trust_in_score: bool,
    /// Standard deviation of noise in the relevance of an entry.
    pub retrieval_noise: f32,
    /// Ticks between two passes of the Curator.
    pub curator_ticks: u32,
    /// Episodes that one pass replays.
    pub batch: usize,
    /// Share of recent episodes in a batch.
    pub recent_share: f64,
    /// Weight of surprise in the priority of replay.
    pub surprise: f64,
    /// e-folding time of decay in ticks.
    pub tau_ticks: f64,
    /// Confidence below which a pass evicts a fact.
    pub eviction_threshold: f32,
}

impl Default for WorldSettings {
    fn default() -> Self {
        Self {
            generations: 16,
            venues: 120,
            families: 12,
            embedding_noise: 0.6,
            family_share: 0.5,
            structural: 0.40,
            traps: 0.05,
            structural_deviation: 0.8,
            tactical_deviation: 1.0,
            regimes: 4,
            dwell: 150.0,
            p_redraw: 0.2,
            turnover: 0.0,
            cue_noise: 0.7,
            offers: 4,
            zipf: 0.7,
            reward_noise: 1.0,
            trap_payoff: 0.8,
            spring: 0.2,
            lethality: 0.25,
            trap_loss: 10.0,
            capital: 40.0,
            capital_limit: 80.0,
            living_cost: 0.35,
            hazard: 1.0 / 1_500.0,
            life_limit: 500,
            least_fitness: 0.35,
            fitness_age: 100,
            entries_read: 8,
            exploration: 0.6,
            pseudo_count: 8.0,
            trust_in_score: true,
            retrieval_noise: 0.0,
            curator_ticks: 50,
            batch: 25,
            recent_share: 0.7,
            surprise: 0.6,
            tau_ticks: 500.0,
            eviction_threshold: 0.05,
        }
    }
}

/// Largest number of venues, generations, ticks and entries: bounds memory and time.
const MOST: usize = 65_535;

impl WorldSettings {
    /// Refuses settings that describe no world.
    pub fn check(&self) -> Result<()> {
        let whole = [
            ("generations", self.generations as usize, 1),
            ("venues", self.venues, 1),
            ("families", self.families, 1),
            ("regimes", self.regimes as usize, 1),
            ("offers", self.offers, 1),
            ("life_limit", self.life_limit as usize, 1),
            ("fitness_age", self.fitness_age as usize, 0),
            ("entries_read", self.entries_read, 1),
            ("curator_ticks", self.curator_ticks as usize, 1),
            ("batch", self.batch, 0),
        ];
        for (name, number, least) in whole {
            if !(least..=MOST).contains(&number) {
                return Err(invalid(
                    name,
                    number,
                    &format!("It must be a whole number from {least} to {MOST}"),
                ));
            }
        }
        if self.offers > self.venues {
            return Err(invalid("offers", self.offers, "It must not exceed the number of venues"));
        }
        let shares = [
            ("family_share", f64::from(self.family_share)),
            ("structural", self.structural),
            ("traps", self.traps),
            ("p_redraw", self.p_redraw),
            ("spring", self.spring),
            ("lethality", self.lethality),
            ("hazard", self.hazard),
            ("least_fitness", self.least_fitness),
            ("recent_share", self.recent_share),
            ("surprise", self.surprise),
            ("eviction_threshold", f64::from(self.eviction_threshold)),
        ];
        for (name, number) in shares {
            if !(0.0..=1.0).contains(&number) {
                return Err(invalid(name, number, "It must be a number from 0 to 1"));
            }
        }
        if self.structural + self.traps > 1.0 {
            return Err(invalid("structural", self.structural, "With traps it must not exceed 1"));
        }
        let sizes = [
            ("embedding_noise", f64::from(self.embedding_noise)),
            ("structural_deviation", f64::from(self.structural_deviation)),
            ("tactical_deviation", f64::from(self.tactical_deviation)),
            ("dwell", self.dwell),
            ("turnover", self.turnover),
            ("cue_noise", f64::from(self.cue_noise)),
            ("zipf", self.zipf),
            ("reward_noise", f64::from(self.reward_noise)),
            ("trap_payoff", f64::from(self.trap_payoff)),
            ("trap_loss", f64::from(self.trap_loss)),
            ("living_cost", f64::from(self.living_cost)),
            ("exploration", f64::from(self.exploration)),
            ("retrieval_noise", f64::from(self.retrieval_noise)),
        ];
        for (name, number) in sizes {
            if !(0.0..=1e6).contains(&number) {
                return Err(invalid(name, number, "It must be a number from 0 to 1,000,000"));
            }
        }
        let positive = [
            ("capital", f64::from(self.capital)),
            ("capital_limit", f64::from(self.capital_limit)),
            ("pseudo_count", f64::from(self.pseudo_count)),
            ("tau_ticks", self.tau_ticks),
        ];
        for (name, number) in positive {
            if !(number > 0.0 && number <= 1e9) {
                return Err(invalid(name, number, "It must be a number above 0, at most 1,000,000,000"));
            }
        }
        Ok(())
    }
}

/// Confidence of an heir in an entry that crosses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// `base * per_generation ^ N`, no more than the testator's.
    Discounted,
    /// The testator's confidence times `base * per_generation ^ N`, again at each death.
    Compounding,
    /// The testator's confidence.
    Held,
    /// Confidence 1.
    Certain,
}

/// Policy of replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Replay {
    /// Surprise and importance.
    Prioritised,
    /// Every episode alike.
    Uniform,
    /// Gain times need.
    MattarDaw,
}

/// Rule of inheritance, and the options of the heirs that differ by it.
#[expect(clippy::struct_excessive_bools, reason = "switches of an experiment, each ablated alone")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Arm {
    /// Whether facts cross.
    pub facts: bool,
    /// Whether raw episodes cross.
    pub episodes: bool,
    /// Whether raw episodes cross with the importance and the verification that they had.
    pub annotated: bool,
    /// Facts at most that cross; none for no limit.
    pub cap: Option<usize>,
    /// Confidence of an heir.
    pub trust: Trust,
    /// Confidence at birth of a fact of generation 0.
    pub base: f32,
    /// Factor on it per generation.
    pub per_generation: f32,
    /// Whether memories fade and are evicted.
    pub forgetting: bool,
    /// Whether a sprung trap leaves anti-knowledge.
    pub anti_knowledge: bool,
    /// Whether anti-knowledge is recalled with the boost of bloodstains.
    pub bloodstain: bool,
    /// Whether anti-knowledge about an offer takes a reserved seat among the entries read.
    pub danger_seats: bool,
    /// Confidence below which a fact stays behind; anti-knowledge always crosses.
    pub least_confidence: f32,
    /// Share of the cap for inherited facts whose situation never occurred, at undiminished confidence; 0 for no quota.
    pub quota: f32,
    /// Whether the contents of the entries are shuffled among the venues.
    pub shuffled: bool,
    /// Whether each offer has an equal share of the entries read.
    pub quota_per_offer: bool,
    /// e-folding time in ticks of the discount by age when read; 0 for none.
    pub age_discount: f32,
    /// Policy of replay.
    pub replay: Replay,
    /// Whether trust falls with the heir's own prediction error on inherited entries.
    pub novelty_gate: bool,
    /// Whether confidence at birth falls with age at the rate of drift that the lineage observed.
    pub drift_discount: bool,
    /// Agents per generation whose testaments each heir merges.
    pub parents: u32,
}

impl Default for Arm {
    fn default() -> Self {
        Self {
            facts: true,
            episodes: false,
            annotated: true,
            cap: Some(2_048),
            trust: Trust::Discounted,
            base: 0.4,
            per_generation: 0.85,
            forgetting: true,
            anti_knowledge: true,
            bloodstain: true,
            danger_seats: true,
            least_confidence: 0.0,
            quota: 0.0,
            shuffled: false,
            quota_per_offer: false,
            age_discount: 0.0,
            replay: Replay::Prioritised,
            novelty_gate: false,
            drift_discount: false,
            parents: 1,
        }
    }
}

impl Arm {
    /// Refuses an arm that no agent can follow.
    pub fn check(&self) -> Result<()> {
        let shares = [
            ("base", self.base),
            ("per_generation", self.per_generation),
            ("least_confidence", self.least_confidence),
            ("quota", self.quota),
        ];
        for (name, number) in shares {
            if !(0.0..=1.0).contains(&number) {
                return Err(invalid(name, f64::from(number), "It must be a number from 0 to 1"));
            }
        }
        if !(0.0..=1e9).contains(&self.age_discount) {
            return Err(invalid(
                "age_discount",
                f64::from(self.age_discount),
                "It must be a number of ticks from 0 on",
            ));
        }
        if !(1..=16).contains(&self.parents) {
            return Err(invalid(
                "parents",
                f64::from(self.parents),
                "It must be a whole number from 1 to 16",
            ));
        }
        if self.cap == Some(0) || self.cap.is_some_and(|cap| cap > MOST) {
            return Err(invalid("cap", "0 or too large", &format!("It must be from 1 to {MOST}, or absent")));
        }
        Ok(())
    }
}

fn invalid(name: &str, value: impl std::fmt::Display, hint: &str) -> Error {
    Error::invalid(format!("{name} of the simulation is {value}"), hint)
}
