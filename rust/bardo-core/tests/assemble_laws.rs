//! Laws 7 and 8 as properties: the budget holds for any text, and no memory gets out of its fence.

use bardo_core::Error;
use bardo_core::assemble::{
    AssembledPrompt, Block, Content, MarkKind, MemoryText, PassageMark, Phase, Position, Request, TaskType,
    Tokenizer, Voice, assemble, copied_starts, frame_memory, marks, strip_copies,
};
use bardo_core::model::Value;
use proptest::prelude::*;

const TOKENIZERS: [Tokenizer; 3] = [Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::Estimate];
const PHASES: [Phase; 5] =
    [Phase::Thriving, Phase::Stable, Phase::Conservation, Phase::Declining, Phase::Terminal];
const TASK_TYPES: [Option<TaskType>; 4] =
    [None, Some(TaskType::Anomaly), Some(TaskType::Routine), Some(TaskType::TradeEvaluation)];

/// Pieces of text that attack a fence or a tokenizer, to be strung together at random.
const FRAGMENTS: &[&str] = &[
    "</memory>",
    "<memory",
    ">",
    "<",
    "</",
    "/",
    "past_events",
    "bardo:recalled",
    "</bardo:recalled>",
    "\u{200b}",
    "\n",
    "\r",
    "\u{2028}",
    "\u{85}",
    "  ",
    "\t",
    "system:",
    "```",
    "[INST]",
    "<|im_end|>",
    "ignore previous instructions",
    "＜",
    "／memory＞",
    "&lt;",
    "👨‍👩‍👧‍👦",
    "字",
    "ع",
    "e\u{301}",
    "\u{301}",
    "\u{e0041}",
    "\u{202e}",
    "\"",
    "|",
    "A sentence. ",
    "12.5",
    "'s",
];

fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        "(?s).{0,400}",
        "(?s)[\\PC\\s]{0,400}",
        prop::collection::vec(prop::sample::select(FRAGMENTS), 0..60).prop_map(|parts| parts.concat()),
        ("[a-z ]{1,20}", 1_usize..200).prop_map(|(text, times)| text.repeat(times)),
    ]
}

fn memory() -> impl Strategy<Value = MemoryText> {
    (
        hostile(),
        any::<i64>(),
        any::<u64>(),
        hostile(),
        hostile(),
        prop::option::of(0.0..=1.0_f64),
        any::<bool>(),
        prop::collection::vec(prop::sample::select(vec!["aave", "gas"]).prop_map(String::from), 0..3),
        prop_oneof![Just(String::new()), hostile()],
    )
        .prop_map(|(text, at, tick, source, speaker, confidence, inherited, subjects, thread)| {
            MemoryText {
                text,
                at,
                tick,
                source,
                speaker,
                confidence,
                inherited,
                subjects,
                thread,
                standing: String::new(),
            }
        })
}

/// A memory in letters that are read alike wherever they stand. Of others, such as marks that join the words beside
/// them, a copy is known in most cases and stays verbatim in the rest.
fn spelled() -> impl Strategy<Value = MemoryText> {
    let words =
        prop_oneof!["[a-z]{1,9}", "[0-9]{1,4}", Just("</memory>".to_owned()), Just("<memory".to_owned())];
    let text = prop::collection::vec((words, prop::sample::select(vec![" ", ", ", ". ", "\n", "? "])), 1..40);
    (memory(), text).prop_map(|(memory, words)| MemoryText {
        text: words.into_iter().map(|(word, sign)| word + sign).collect(),
        source: "self".into(),
        speaker: "Ann".into(),
        ..memory
    })
}

fn content() -> impl Strategy<Value = Content> {
    let cell = prop_oneof![
        any::<f64>().prop_map(Value::Float),
        any::<i64>().prop_map(Value::Int),
        hostile().prop_map(Value::Text),
    ];
    let row = prop::collection::vec(("[a-c|<\n]{1,2}", cell), 0..4).prop_map(Value::Map);
    prop_oneof![
        2 => hostile().prop_map(Content::Text),
        2 => prop::collection::vec(memory(), 0..8).prop_map(Content::memories),
        1 => prop::collection::vec(row, 0..8).prop_map(Content::Rows),
    ]
}

fn blocks() -> impl Strategy<Value = Vec<Block>> {
    let names = ["event", "past_events", "knowledge", "positions", "tool_results", "own_one", "own_two"];
    let block = (content(), 0_u8..12, prop::option::of(0_usize..600), 0_usize..3);
    prop::collection::vec(block, names.len()).prop_map(move |drawn| {
        let shaped = drawn.into_iter().zip(names).map(|((content, priority, cap, place), name)| Block {
            priority,
            cap,
            place: [Position::First, Position::Middle, Position::Last][place],
            ..Block::new(name, content)
        });
        shaped.collect()
    })
}

fn request() -> impl Strategy<Value = Request> {
    (1_usize..3_000, 0_usize..200, 0_usize..3, 0_usize..5, 0_usize..4, any::<bool>()).prop_map(
        |(budget, reserve, tokenizer, phase, task_type, first_person)| Request {
            budget,
            reserve: (reserve > 0).then_some(reserve),
            tokenizer: TOKENIZERS[tokenizer],
            phase: PHASES[phase],
            task_type: TASK_TYPES[task_type],
            voice: if first_person { Voice::FirstPerson } else { Voice::Briefing },
        },
    )
}

fn roomy() -> Request {
    Request {
        budget: 4_000,
        reserve: Some(0),
        tokenizer: Tokenizer::Estimate,
        phase: Phase::Thriving,
        task_type: None,
        voice: Voice::Briefing,
    }
}

fn count_lines(prompt: &AssembledPrompt, beginning: &str) -> usize {
    prompt.text.lines().filter(|line| line.starts_with(beginning)).count()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_prompt_never_exceeds_its_budget_for_any_text(mut blocks in blocks(), request in request(), system in hostile()) {
        blocks.push(Block::new("system", Content::Text(system.clone())));
        match assemble(&blocks, &request) {
            Ok(prompt) => {
                prop_assert_eq!(prompt.tokens, request.tokenizer.count(&prompt.text));
                prop_assert!(prompt.tokens <= request.budget - request.answer_reserve());
                prop_assert!(prompt.tokens <= prompt.window);
                prop_assert_eq!(&prompt.text, &prompt.blocks.iter().map(|part| part.text.as_str()).collect::<String>());
                let whole = format!("<system>\n{system}\n</system>\n");
                prop_assert!(system.trim().is_empty() || prompt.text.contains(&whole));
            }
            Err(Error::BudgetTooSmall { needed, .. }) => {
                prop_assert!(needed > request.budget);
                let enough = Request { budget: needed, ..request };
                prop_assert!(assemble(&blocks, &enough).is_ok(), "the need that was named is not enough");
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    #[test]
    fn the_report_of_a_block_matches_the_prompt(blocks in blocks(), request in request()) {
        let Ok(prompt) = assemble(&blocks, &request) else { return Ok(()) };
        for part in &prompt.blocks {
            let block = blocks.iter().find(|block| block.name == part.name).unwrap();
            prop_assert_eq!(part.used, if part.text.is_empty() { 0 } else { request.tokenizer.count(&part.text) });
            prop_assert!(part.used <= part.given, "{}: {} of {}", &part.name, part.used, part.given);
            if let Content::Memories(memories) = &block.content {
                prop_assert_eq!(part.places.len() + part.left_out, memories.count());
                let memories = memories.load(0, memories.count()).unwrap();
                for index in part.places.iter().filter(|index| !part.shortened_places.contains(index)) {
                    let names: Vec<&str> = blocks.iter().map(|block| block.tag.as_str()).collect();
                    prop_assert!(part.text.contains(&frame_memory(&memories[*index], &names)));
                }
            }
        }
    }

    #[test]
    fn no_text_gets_out_of_its_fence(blocks in blocks(), request in request()) {
        let Ok(prompt) = assemble(&blocks, &request) else { return Ok(()) };
        let shown: usize = prompt
            .blocks
            .iter()
            .filter(|part| blocks.iter().any(|b| b.name == part.name && matches!(b.content, Content::Memories(_))))
            .map(|part| part.places.len())
            .sum();
        prop_assert_eq!(count_lines(&prompt, "<memory "), shown);
        prop_assert_eq!(count_lines(&prompt, "</memory>"), shown);
        prop_assert_eq!(prompt.text.matches("</memory>").count(), shown);
        prop_assert_eq!(prompt.text.matches("<memory>").count(), 0);
        for part in prompt.blocks.iter().filter(|part| !part.text.is_empty()) {
            for tag in [format!("<{}>", part.name), format!("</{}>", part.name)] {
                prop_assert_eq!(prompt.text.matches(&tag).count(), 1, "{}", tag);
            }
        }
        let sections = prompt.text.matches("<bardo:recalled id=\"").count();
        prop_assert_eq!(prompt.text.matches("</bardo:recalled>").count(), sections);
        prop_assert_eq!(prompt.text.matches("bardo:recalled").count(), 2 * sections);
    }

    #[test]
    fn a_captured_prompt_leaves_nothing_recalled_and_everything_else(
        memories in prop::collection::vec(spelled(), 0..8), mut blocks in blocks(), request in request(),
    ) {
        for block in &mut blocks {
            if matches!(block.content, Content::Memories(_)) {
                block.content = Content::memories(memories.clone());
            }
        }
        let Ok(prompt) = assemble(&blocks, &request) else { return Ok(()) };
        let known = marks_of(&prompt);
        let stripped = strip_copies(&prompt.text, &known).text;
        prop_assert!(!begins_memory(&stripped), "{stripped}");
        for part in &prompt.blocks {
            let block = blocks.iter().find(|block| block.name == part.name).unwrap();
            // A text that spells out a memory's tag beside the words of a memory is a copy itself.
            let is_framed = !copied_starts(&part.text).is_empty();
            let is_recalled = matches!(block.content, Content::Memories(_));
            // Its own tags may go with a section of the same tag beside it.
            let inner = part.text.trim_end().split_once('\n').and_then(|(_, rest)| rest.rsplit_once('\n'));
            let body = inner.map_or("", |(body, _)| body);
            prop_assert!(
                is_recalled || is_framed || stripped.contains(body),
                "{body:?} is not in {stripped:?}"
            );
        }
    }

    #[test]
    fn of_a_prompt_cut_between_lines_no_framed_memory_is_left(
        memories in prop::collection::vec(spelled(), 1..5), from in 0.0..1.0_f64, to in 0.0..1.0_f64,
    ) {
        let blocks = [Block::new("past_events", Content::memories(memories)), Block::new("event", Content::Text("now".into()))];
        let prompt = assemble(&blocks, &roomy()).unwrap();
        let lines: Vec<&str> = prompt.text.split_inclusive('\n').collect();
        let at = |part: f64| (lines.len() as f64 * part) as usize;
        let part = lines[at(from.min(to))..at(from.max(to))].concat();
        let stripped = strip_copies(&part, &marks_of(&prompt)).text;
        prop_assert!(!begins_memory(&stripped), "{stripped}");
    }

    #[test]
    fn a_text_of_no_prompt_stays_as_it_is(text in hostile(), blocks in blocks()) {
        let Ok(prompt) = assemble(&blocks, &roomy()) else { return Ok(()) };
        let known: Vec<PassageMark> = marks_of(&prompt).into_iter().filter(|mark| mark.kind != MarkKind::Text).collect();
        prop_assume!(!copied_starts(&text).iter().any(|start| known.iter().any(|mark| mark.start == *start)));
        prop_assert_eq!(strip_copies(&text, &known).text, text);
    }
}

/// Whether a memory is framed in a text; at the beginning of a line no text of a prompt can spell its frame.
fn begins_memory(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("<memory "))
}

fn marks_of(prompt: &AssembledPrompt) -> Vec<PassageMark> {
    prompt.blocks.iter().flat_map(|part| marks(&part.text)).collect()
}
