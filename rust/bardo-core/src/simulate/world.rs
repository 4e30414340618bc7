//! The world: venues, regimes and payoffs of all ticks, the same for every arm.

use super::random::{Stream, bits, normal, uniform};
use super::settings::WorldSettings;

/// Dimensions of a venue's embedding.
pub const DIMENSIONS: usize = 16;
/// Dimensions of a market snapshot.
pub const SNAPSHOT: usize = 8;
/// Number of regimes that never switch.
const ALONE: u32 = 1;

/// Market snapshot, a noisy hint at the regime.
pub type Snapshot = [f32; SNAPSHOT];

/// Kind of a venue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VenueKind {
    Structural,
    Tactical,
    Trap,
}

/// Span of ticks in which no payoff changes.
#[derive(Clone, Debug)]
pub struct Span {
    /// First tick.
    pub start: u64,
    /// Regime in force.
    pub regime: u32,
    /// Whether the regime differs from that of the span before.
    pub switched: bool,
    pub kinds: Vec<VenueKind>,
    pub payoffs: Vec<f32>,
    /// Version of each payoff: equal numbers mean that nothing changed.
    pub versions: Vec<u32>,
}

/// Outcome of taking an offer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reward {
    pub value: f32,
    pub sprung: bool,
    pub lethal: bool,
}

/// World of one seed.
#[derive(Debug)]
pub struct World {
    pub settings: WorldSettings,
    pub seed: u64,
    pub spans: Vec<Span>,
    /// Unit embeddings, a row per venue.
    pub embeddings: Vec<f32>,
    /// Cosine of two venues, row by row.
    pub cosines: Vec<f32>,
    families: Vec<usize>,
    centres: Vec<Snapshot>,
    /// Cumulative popularity.
    popularity: Vec<f64>,
}

impl World {
    /// Draws the world of a seed, with the payoffs of all ticks.
    pub fn new(settings: &WorldSettings, seed: u64) -> Self {
        let families: Vec<usize> = (0..settings.venues).map(|venue| venue % settings.families).collect();
        let embeddings = embeddings(settings, seed, &families);
        let row = |venue: usize| &embeddings[venue * DIMENSIONS..(venue + 1) * DIMENSIONS];
        let cosine = |one: usize, two: usize| row(one).iter().zip(row(two)).map(|(a, b)| a * b).sum::<f32>();
        let count = settings.venues;
        let cosines = (0..count * count).map(|place| cosine(place / count, place % count)).collect();
        let centres = (0..u64::from(settings.regimes))
            .map(|regime| std::array::from_fn(|axis| normal(seed, Stream::Cue, [regime, axis as u64, 0])))
            .collect();
        let mut world = Self {
            spans: Vec::new(),
            embeddings,
            cosines,
            families,
            centres,
            popularity: popularity(settings, seed),
            settings: settings.clone(),
            seed,
        };
        world.spans = world.history();
        world
    }

    /// Ticks of the whole run: each generation has a stretch of its own, so that a death moves no later life.
    pub fn ticks(&self) -> u64 {
        u64::from(self.settings.generations) * u64::from(self.settings.life_limit)
    }

    /// Index of the span of a tick.
    pub fn span_at(&self, tick: u64) -> usize {
        self.spans.partition_point(|span| span.start <= tick) - 1
    }

    fn history(&self) -> Vec<Span> {
        let (settings, seed) = (&self.settings, self.seed);
        let venues = settings.venues;
        let mut identities = vec![0_u64; venues];
        // Payoff and version of each tactical venue in each regime, and how often the regime was entered.
        let mut known: Vec<Option<(Vec<f32>, Vec<u32>)>> = vec![None; settings.regimes as usize];
        let mut entries = vec![0_u64; settings.regimes as usize];
        let mut version = 0_u32;
        let mut next_version = || {
            version += 1;
            version
        };
        let structural: Vec<u32> = (0..venues).map(|_| next_version()).collect();
        let mut fixed: Vec<(VenueKind, f32, u32)> = (0..venues)
            .map(|venue| {
                let (kind, payoff) = self.fixed(venue, 0);
                (kind, payoff, structural[venue])
            })
            .collect();
        let mut regime = (bits(seed, Stream::NextRegime, [0, 0, 0]) % u64::from(settings.regimes)) as u32;
        let mut spans: Vec<Span> = Vec::new();
        for tick in 0..self.ticks() {
            let leaves = settings.regimes > ALONE
                && settings.dwell > 0.0
                && uniform(seed, Stream::Regime, [tick, 0, 0]) < 1.0 / settings.dwell;
            let switched = tick > 0 && leaves;
            if switched {
                let step = 1 + bits(seed, Stream::NextRegime, [tick, 1, 0]) % u64::from(settings.regimes - 1);
                regime = ((u64::from(regime) + step) % u64::from(settings.regimes)) as u32;
            }
            let place = regime as usize;
            if switched || tick == 0 {
                let entry = entries[place];
                entries[place] += 1;
                let draw = |venue: usize| self.tactical(venue, regime, entry, identities[venue]);
                if let Some((payoffs, versions)) = &mut known[place] {
                    for venue in 0..venues {
                        let again = uniform(seed, Stream::Redraw, [venue as u64, u64::from(regime), entry]);
                        if again < settings.p_redraw {
                            payoffs[venue] = draw(venue);
                            versions[venue] = next_version();
                        }
                    }
                } else {
                    let versions = (0..venues).map(|_| next_version()).collect();
                    known[place] = Some(((0..venues).map(draw).collect(), versions));
                }
            }
            let mut turned = false;
            if settings.turnover > 0.0 && tick > 0 {
                for venue in 0..venues {
                    if uniform(seed, Stream::Turnover, [venue as u64, tick, 0]) >= 1.0 / settings.turnover {
                        continue;
                    }
                    turned = true;
                    identities[venue] = tick;
                    let (kind, payoff) = self.fixed(venue, tick);
                    fixed[venue] = (kind, payoff, next_version());
                    for (other, drawn) in known.iter_mut().enumerate() {
                        if let Some((payoffs, versions)) = drawn {
                            payoffs[venue] = self.tactical(venue, other as u32, entries[other], tick);
                            versions[venue] = next_version();
                        }
                    }
                }
            }
            if switched || turned || tick == 0 {
                let (payoffs, versions) = known[place].as_ref().map_or((&[][..], &[][..]), |(p, v)| (p, v));
                let of = |venue: usize| match fixed[venue] {
                    (VenueKind::Tactical, ..) => (payoffs[venue], versions[venue]),
                    (_, payoff, version) => (payoff, version),
                };
                spans.push(Span {
                    start: tick,
                    regime,
                    switched,
                    kinds: fixed.iter().map(|(kind, ..)| *kind).collect(),
                    payoffs: (0..venues).map(|venue| of(venue).0).collect(),
                    versions: (0..venues).map(|venue| of(venue).1).collect(),
                });
            }
        }
        spans
    }

    /// Kind of a venue, and its payoff unless it is tactical.
    fn fixed(&self, venue: usize, identity: u64) -> (VenueKind, f32) {
        let settings = &self.settings;
        // The first identities hold the shares exactly; later ones by probability.
        let place = if identity == 0 {
            rank(self.seed, settings.venues, venue) as f64 / settings.venues as f64
        } else {
            uniform(self.seed, Stream::Kind, [venue as u64, identity, 1])
        };
        if place < settings.traps {
            (VenueKind::Trap, settings.trap_payoff)
        } else if place < settings.traps + settings.structural {
            let unit = self.shared([u64::MAX, 0], venue, identity);
            (VenueKind::Structural, settings.structural_deviation * unit)
        } else {
            (VenueKind::Tactical, 0.0)
        }
    }

    fn tactical(&self, venue: usize, regime: u32, entry: u64, identity: u64) -> f32 {
        self.settings.tactical_deviation * self.shared([u64::from(regime), entry], venue, identity)
    }

    /// Standard normal number that the venues of a family have partly in common.
    fn shared(&self, key: [u64; 2], venue: usize, identity: u64) -> f32 {
        let [regime, entry] = key;
        let family = normal(self.seed, Stream::FamilyPayoff, [self.families[venue] as u64, regime, entry]);
        // An identity is a tick: shifted, it cannot collide with the number of an entry.
        let own = normal(self.seed, Stream::Payoff, [venue as u64, regime, entry ^ (identity << 32)]);
        let share = self.settings.family_share;
        share.sqrt() * family + (1.0 - share).sqrt() * own
    }

    /// Market snapshot at a tick.
    pub fn snapshot(&self, regime: u32, tick: u64) -> Snapshot {
        let regime = regime as usize;
        std::array::from_fn(|axis| {
            let noise = normal(self.seed, Stream::Snapshot, [tick, axis as u64, 0]);
            self.centres[regime][axis] + self.settings.cue_noise * noise
        })
    }

    /// Different venues on offer at a tick, by popularity.
    pub fn offers(&self, tick: u64, sibling: u32) -> Vec<usize> {
        let mut offers: Vec<usize> = Vec::with_capacity(self.settings.offers);
        let whole = self.popularity[self.popularity.len() - 1];
        let mut attempt = 0;
        while offers.len() < self.settings.offers {
            let number = uniform(self.seed, Stream::Offer, [tick, attempt, u64::from(sibling)]) * whole;
            let venue = self.popularity.partition_point(|sum| *sum <= number).min(self.settings.venues - 1);
            attempt += 1;
            if !offers.contains(&venue) {
                offers.push(venue);
            }
        }
        offers
    }

    /// Reward of taking the offer at a place of the list.
    pub fn reward(&self, span: &Span, tick: u64, slot: usize, venue: usize, sibling: u32) -> Reward {
        let key = [tick, slot as u64, u64::from(sibling)];
        if span.kinds[venue] == VenueKind::Trap
            && uniform(self.seed, Stream::Spring, key) < self.settings.spring
        {
            let lethal = uniform(self.seed, Stream::Lethal, key) < self.settings.lethality;
            return Reward { value: -self.settings.trap_loss, sprung: true, lethal };
        }
        let noise = normal(self.seed, Stream::Noise, key);
        Reward {
            value: span.payoffs[venue] + self.settings.reward_noise * noise,
            sprung: false,
            lethal: false,
        }
    }

    /// Whether an accident kills at a tick.
    pub fn hazard(&self, tick: u64, sibling: u32) -> bool {
        uniform(self.seed, Stream::Hazard, [tick, u64::from(sibling), 0]) < self.settings.hazard
    }

    /// Expected reward of a venue; a trap's with its springs, a death counted as the loss.
    pub fn expected(&self, span: &Span, venue: usize) -> f32 {
        if span.kinds[venue] != VenueKind::Trap {
            return span.payoffs[venue];
        }
        let spring = self.settings.spring as f32;
        (1.0 - spring) * span.payoffs[venue] - spring * self.settings.trap_loss
    }
}

/// Unit vectors: the centre of the family, of length 1 on average, plus noise of each venue.
fn embeddings(settings: &WorldSettings, seed: u64, families: &[usize]) -> Vec<f32> {
    let scale = (DIMENSIONS as f32).sqrt().recip();
    let mut rows = Vec::with_capacity(settings.venues * DIMENSIONS);
    for (venue, family) in families.iter().enumerate() {
        let row: [f32; DIMENSIONS] = std::array::from_fn(|axis| {
            let centre = normal(seed, Stream::Family, [*family as u64, axis as u64, 0]);
            let own = normal(seed, Stream::Venue, [venue as u64, axis as u64, 0]);
            scale * (centre + settings.embedding_noise * own)
        });
        let length = row.iter().map(|part| part * part).sum::<f32>().sqrt();
        rows.extend(row.map(|part| part / length));
    }
    rows
}

/// Cumulative weights of Zipf's law; the ranks of popularity are shuffled.
fn popularity(settings: &WorldSettings, seed: u64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..settings.venues).collect();
    order.sort_by_key(|venue| bits(seed, Stream::Popularity, [*venue as u64, 0, 0]));
    let mut weights = vec![0.0; settings.venues];
    for (rank, venue) in order.into_iter().enumerate() {
        weights[venue] = ((rank + 1) as f64).powf(-settings.zipf);
    }
    let mut sum = 0.0;
    weights
        .into_iter()
        .map(|weight| {
            sum += weight;
            sum
        })
        .collect()
}

/// Place of a venue in a random order.
fn rank(seed: u64, venues: usize, venue: usize) -> usize {
    let key = |venue: usize| bits(seed, Stream::Kind, [venue as u64, 0, 0]);
    (0..venues).filter(|other| key(*other) < key(venue)).count()
}
