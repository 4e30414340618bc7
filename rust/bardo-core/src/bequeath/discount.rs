//! Discount of the confidence of inherited facts.

use crate::error::{Error, Result};

/// Minimum confidence of inherited anti-knowledge, after any number of generations.
pub const ANTI_KNOWLEDGE_FLOOR: f32 = 0.3;

/// Discount by generations since the one of origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GenerationDiscount {
    /// Factor per generation; 0.85 by default.
    Factor(f32),
    /// Amount subtracted per generation.
    Step(f32),
}

/// Initial confidence of entries at an heir.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discount {
    base: f32,
    per_generation: GenerationDiscount,
}

impl Discount {
    /// Creates a discount with base confidence `base` (0.4 for a chosen direct heir, 0.3 through an archive).
    pub fn new(base: f32, per_generation: GenerationDiscount) -> Result<Self> {
        let (GenerationDiscount::Factor(rate) | GenerationDiscount::Step(rate)) = per_generation;
        for (name, number) in [("the base confidence", base), ("the per_generation per generation", rate)] {
            if !(0.0..=1.0).contains(&number) {
                return Err(Error::invalid(
                    format!("{name} is {number}"),
                    "It must be a number from 0 to 1; see the settings under [bequeath]",
                ));
            }
        }
        Ok(Self { base, per_generation })
    }

    /// Computes the confidence at birth of an entry from `generations` ago (1 for the direct parent's own), for
    /// which the testator had `testator_confidence` at death.
    ///
    /// Inheritance raises no confidence (law 5): the result never exceeds the testator's, except for the floor of
    /// anti-knowledge.
    #[must_use]
    pub fn at_birth(&self, generations: u32, testator_confidence: f32, anti_knowledge: bool) -> f32 {
        let faded = match self.per_generation {
            GenerationDiscount::Factor(factor) => self.base * factor.powf(generations as f32),
            GenerationDiscount::Step(step) => (self.base - step * generations as f32).max(0.0),
        };
        let earned = faded.min(testator_confidence.clamp(0.0, 1.0));
        if anti_knowledge { earned.max(ANTI_KNOWLEDGE_FLOOR) } else { earned }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn per_generation() -> impl Strategy<Value = GenerationDiscount> {
        prop_oneof![
            (0.0_f32..=1.0).prop_map(GenerationDiscount::Factor),
            (0.0_f32..=1.0).prop_map(GenerationDiscount::Step)
        ]
    }

    #[test]
    fn the_rule_multiplies_and_the_alternative_subtracts() {
        let rule = Discount::new(0.4, GenerationDiscount::Factor(0.85)).unwrap();
        assert!((rule.at_birth(1, 0.9, false) - 0.34).abs() < 1e-6);
        assert!((rule.at_birth(3, 0.9, false) - 0.4 * 0.85_f32.powi(3)).abs() < 1e-6);
        let alternative = Discount::new(0.4, GenerationDiscount::Step(0.05)).unwrap();
        assert!((alternative.at_birth(2, 0.9, false) - 0.3).abs() < 1e-6);
        assert!(alternative.at_birth(100, 0.9, false).abs() < f32::EPSILON);
    }

    #[test]
    fn a_base_outside_0_to_1_is_refused() {
        assert!(Discount::new(1.5, GenerationDiscount::Factor(0.85)).is_err());
        assert!(Discount::new(0.4, GenerationDiscount::Step(f32::NAN)).is_err());
    }

    proptest! {
        #[test]
        fn trust_never_grows_with_the_generations(
            base in 0.0_f32..=1.0, per_generation in per_generation(), generations in 0_u32..200, held in 0.0_f32..=1.0, anti: bool,
        ) {
            let discount = Discount::new(base, per_generation).unwrap();
            prop_assert!(discount.at_birth(generations + 1, held, anti) <= discount.at_birth(generations, held, anti));
        }

        #[test]
        fn inheriting_never_raises_confidence_save_to_the_floor_of_anti_knowledge(
            base in 0.0_f32..=1.0, per_generation in per_generation(), generations in 0_u32..200, held in 0.0_f32..=1.0, anti: bool,
        ) {
            let born = Discount::new(base, per_generation).unwrap().at_birth(generations, held, anti);
            prop_assert!((0.0..=1.0).contains(&born));
            prop_assert!(born <= held.min(base) || (anti && born <= ANTI_KNOWLEDGE_FLOOR));
            prop_assert!(!anti || born >= ANTI_KNOWLEDGE_FLOOR);
        }
    }
}
