//! Words of a language that name periods.

use std::collections::{HashMap, HashSet};
use std::str::FromStr;

use super::calendar::{
    Alternatives, Meaning, Move, Unit, Values, YEARS, alternatives, dates_in_figures, dates_of, moved_by,
};
use crate::error::{Error, Result};
use crate::model::Micros;
use crate::model::calendar::MICROS_PER_DAY;
use crate::text::stop_words::is_stop_word;

/// Greatest count of units in a phrase.
const MAX_COUNT: i64 = 10_000;

/// Part of a phrase: a word, or the place of a word of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Word(String),
    Count,
    Unit,
    Weekday,
    /// A month; `is_exact` if only as written in the list, as "May" is a month and "may" is not.
    Month {
        is_exact: bool,
    },
    Year,
    Day,
}

impl FromStr for Part {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Ok(match text {
            "{count}" => Self::Count,
            "{unit}" => Self::Unit,
            "{weekday}" => Self::Weekday,
            "{month}" => Self::Month { is_exact: false },
            "{Month}" => Self::Month { is_exact: true },
            "{year}" => Self::Year,
            "{day}" => Self::Day,
            _ if text.contains(['{', '}']) => {
                return Err(Error::invalid(
                    format!("{text:?} is no part of a phrase"),
                    "Use {count}, {unit}, {weekday}, {month}, {Month}, {year}, {day} or a word",
                ));
            }
            word => Self::Word(word.to_lowercase()),
        })
    }
}

/// Words of a language that name periods.
#[derive(Clone, Debug, Default)]
pub struct PeriodWords {
    /// Months from January, as they are written and in lower case.
    months: Vec<(String, String)>,
    /// Weekdays from Monday, in lower case.
    weekdays: Vec<String>,
    units: HashMap<String, Unit>,
    numbers: HashMap<String, i64>,
    /// Phrases, those of more parts first.
    phrases: Vec<(Meaning, Vec<Part>)>,
    /// Words that ask what there was and name no topic, in lower case.
    fillers: HashSet<String>,
}

impl PeriodWords {
    /// Checks the words of a language.
    ///
    /// `units` has a unit for each word, `phrases` pairs of a meaning and a phrase, such as `ago` and
    /// `{count} {unit} ago`; `fillers` are words that ask what there was and name no topic.
    pub fn new(
        months: Vec<String>,
        weekdays: &[String],
        units: &HashMap<String, String>,
        numbers: HashMap<String, i64>,
        phrases: &[(String, String)],
        fillers: &[String],
    ) -> Result<Self> {
        if months.len() != 12 || weekdays.len() != 7 {
            return Err(Error::invalid(
                format!("{} months and {} weekdays", months.len(), weekdays.len()),
                "Name the months from January and the weekdays from Monday",
            ));
        }
        let units = units.iter().map(|(word, unit)| Ok((word.to_lowercase(), unit.parse()?)));
        let phrase = |(meaning, text): &(String, String)| {
            let parts = text.split_whitespace().map(str::parse).collect::<Result<Vec<Part>>>()?;
            Ok((meaning.parse()?, parts))
        };
        let mut phrases = phrases.iter().map(phrase).collect::<Result<Vec<_>>>()?;
        phrases.sort_by_key(|(_, parts)| std::cmp::Reverse(parts.len()));
        Ok(Self {
            months: months.into_iter().map(|month| (month.clone(), month.to_lowercase())).collect(),
            weekdays: weekdays.iter().map(|day| day.to_lowercase()).collect(),
            units: units.collect::<Result<_>>()?,
            numbers,
            phrases,
            fillers: fillers.iter().map(|word| word.to_lowercase()).collect(),
        })
    }

    /// The periods that the words of a query name, as seen from `now`. Words are as written, without punctuation around
    /// them.
    #[must_use]
    pub fn read(&self, words: &[&str], now: Micros) -> Vec<Alternatives> {
        self.parse(words, now).0
    }

    /// Whether a query asks for a period alone: its other words name no topic.
    #[must_use]
    pub fn asks_for_time_alone(&self, words: &[&str], now: Micros) -> bool {
        let is_empty = |word: &String| is_stop_word(word) || self.fillers.contains(word);
        let (periods, others) = self.parse(words, now);
        !periods.is_empty() && others.iter().all(is_empty)
    }

    /// The periods that the words of a query name, and its other words in lower case.
    fn parse(&self, words: &[&str], now: Micros) -> (Vec<Alternatives>, Vec<String>) {
        let today = now.div_euclid(MICROS_PER_DAY);
        let lowered: Vec<String> = words.iter().map(|word| without_possessive(word).to_lowercase()).collect();
        let (mut found, mut others) = (Vec::new(), Vec::new());
        let mut place = 0;
        // Days to move the date that stands here: "two weeks before 24 March".
        let mut moved: Option<(usize, Move)> = None;
        while place < words.len() {
            let away = moved.filter(|(at, _)| *at == place).map(|(_, away)| away);
            if let Some(dates) = words.get(place..place + 3).map(dates_in_figures)
                && !dates.is_empty()
            {
                found.extend(dates.into_iter().map(|date| vec![moved_by(date, away)]));
                place += 3;
                continue;
            }
            let Some((meaning, length, values)) = self.phrase_at(words, &lowered, place) else {
                others.push(lowered[place].clone());
                place += 1;
                continue;
            };
            place += length;
            match (meaning, values.unit) {
                (Meaning::Before, Some(unit)) => {
                    moved = Some((place, Move::of(-values.count.unwrap_or(1), unit)));
                }
                (Meaning::After, Some(unit)) => {
                    moved = Some((place, Move::of(values.count.unwrap_or(1), unit)));
                }
                (Meaning::Date, _) => {
                    let dates = dates_of(&values, today);
                    found.push(dates.into_iter().map(|date| moved_by(date, away)).collect());
                }
                _ => found.push(alternatives(meaning, &values, today)),
            }
        }
        found.retain(|period: &Alternatives| !period.is_empty());
        (found, others)
    }

    /// The longest phrase that begins at a place: its meaning, its number of words, and the values of its places.
    fn phrase_at(
        &self,
        words: &[&str],
        lowered: &[String],
        place: usize,
    ) -> Option<(Meaning, usize, Values)> {
        self.phrases.iter().find_map(|(meaning, parts)| {
            let end = place + parts.len();
            let (words, lowered) = (words.get(place..end)?, lowered.get(place..end)?);
            let mut values = Values::default();
            let mut all = parts.iter().zip(words).zip(lowered);
            all.all(|((part, word), lowered)| self.take(part, word, lowered, &mut values)).then_some((
                *meaning,
                parts.len(),
                values,
            ))
        })
    }

    /// Whether a word may stand for a part of a phrase, which then has its value.
    fn take(&self, part: &Part, word: &str, lowered: &str, values: &mut Values) -> bool {
        match part {
            Part::Word(wanted) => wanted == lowered,
            Part::Count => {
                let figures = || lowered.parse().ok().filter(|count| (0..=MAX_COUNT).contains(count));
                values.count = self.numbers.get(lowered).copied().or_else(figures);
                values.count.is_some()
            }
            Part::Unit => {
                values.unit = self.units.get(lowered).copied();
                values.unit.is_some()
            }
            Part::Weekday => {
                values.weekday =
                    (0..).zip(&self.weekdays).find(|(_, day)| *day == lowered).map(|(day, _)| day);
                values.weekday.is_some()
            }
            Part::Month { is_exact } => {
                let word = without_possessive(word);
                let is = |(exact, lower): &(String, String)| exact == word || !is_exact && lower == lowered;
                values.month = (1..).zip(&self.months).find(|(_, month)| is(month)).map(|(month, _)| month);
                values.month.is_some()
            }
            Part::Year => {
                values.year = lowered.parse().ok().filter(|year| lowered.len() == 4 && YEARS.contains(year));
                values.year.is_some()
            }
            Part::Day => {
                let figures = lowered.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
                values.day = figures.parse().ok().filter(|day| (1..=31).contains(day));
                values.day.is_some()
            }
        }
    }
}

fn without_possessive(word: &str) -> &str {
    word.strip_suffix("'s").or_else(|| word.strip_suffix("\u{2019}s")).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{DaySpan, resolve};
    use super::*;
    use crate::model::calendar::day_number;

    /// 8 May 2023, a Monday.
    const NOW: Micros = 1_683_554_160_000_000;

    /// Some words of German: the phrases of a language are data.
    fn german() -> PeriodWords {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let pairs = |text: &str| -> Vec<(String, String)> {
            let pairs = text.lines().filter_map(|line| line.trim().split_once(": "));
            pairs.map(|(meaning, phrase)| (meaning.to_owned(), phrase.to_owned())).collect()
        };
        PeriodWords::new(
            words("Januar Februar M\u{e4}rz April Mai Juni Juli August September Oktober November Dezember"),
            &words("Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag"),
            &pairs("Tagen: day\nWoche: week\nWochen: week\nJahr: year").into_iter().collect(),
            [("zwei".to_owned(), 2), ("drei".to_owned(), 3)].into(),
            &pairs(
                "yesterday: gestern\nday_before_yesterday: vor gestern\nago: vor {count} {unit}\nmonth: im {month}\n\
                 month: im {month} {year}\ndate: {day} {Month}\ndate: {day} {Month} {year}\nprevious: letzte {unit}\n\
                 previous: letztes {unit}\nbefore: {count} {unit} vor dem",
            ),
            &words("was war geschah"),
        )
        .unwrap()
    }

    fn holds(query: &str, days_back: i64) -> bool {
        let words: Vec<&str> = query.split_whitespace().collect();
        let spans = resolve(&german().read(&words, NOW), |_| true);
        spans.iter().any(|span| span.holds(NOW - days_back * MICROS_PER_DAY))
    }

    #[test]
    fn another_language_needs_no_other_code() {
        assert!(holds("was war gestern", 1) && !holds("was war gestern", 2));
        assert!(
            holds("was war vor gestern", 2) && !holds("was war vor gestern", 1),
            "the longer phrase counts"
        );
        assert!(holds("vor zwei Wochen", 14) && !holds("vor zwei Wochen", 25));
        assert!(holds("im M\u{e4}rz", 50) && !holds("im M\u{e4}rz", 20) && holds("im m\u{e4}rz 2022", 420));
        assert!(holds("am 2 Mai", 6) && !holds("am 2 mai", 6), "a month that must be written as in the list");
        assert!(holds("drei Tagen vor dem 2 Mai", 9) && !holds("drei Tagen vor dem 2 Mai", 6));
    }

    #[test]
    fn a_month_within_a_year_is_that_month_alone() {
        for query in ["im Dezember letztes Jahr", "letztes Jahr im Dezember"] {
            assert!(holds(query, 140) && !holds(query, 200), "{query}");
        }
    }

    #[test]
    fn a_month_without_a_year_is_the_latest_of_which_something_is_remembered() {
        let periods = german().read(&["im", "M\u{e4}rz"], NOW);
        let of_2021 = DaySpan { first: day_number(2021, 3, 1), last: day_number(2021, 3, 31) };
        assert_eq!(resolve(&periods, |span| *span == of_2021), [of_2021]);
        assert_eq!(resolve(&periods, |_| false)[0].last, day_number(2023, 3, 31));
    }

    #[test]
    fn a_query_without_a_topic_asks_for_its_time_alone() {
        let is_alone =
            |query: &str| german().asks_for_time_alone(&query.split_whitespace().collect::<Vec<_>>(), NOW);
        assert!(is_alone("was geschah im M\u{e4}rz") && is_alone("gestern"));
        assert!(!is_alone("was war das Essen gestern") && !is_alone("was geschah") && !is_alone(""));
    }

    #[test]
    fn words_of_a_language_are_checked() {
        let (none, units) = (HashMap::new(), HashMap::new());
        let months: Vec<String> = (1..=12).map(|month| month.to_string()).collect();
        for phrase in [("ago", "{counts} {unit}"), ("agoo", "{count} {unit}")] {
            let phrases = [(phrase.0.to_owned(), phrase.1.to_owned())];
            let made = PeriodWords::new(months.clone(), &months[..7], &units, none.clone(), &phrases, &[]);
            assert!(made.is_err(), "{phrase:?}");
        }
        assert!(PeriodWords::new(Vec::new(), &months[..7], &units, none, &[], &[]).is_err());
    }

    proptest! {
        #[test]
        fn no_words_and_no_instant_are_too_strange(words in prop::collection::vec(
            prop_oneof!["(letztes|vor|dem|Mai|im|gestern|Wochen|Jahr|zwei|[0-9]{1,20})", ".{0,8}"], 0..8,
        ), now in any::<i64>()) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let _ = resolve(&german().read(&words, now), |span| span.holds(now));
        }
    }
}
