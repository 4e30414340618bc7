"""A conversation that the tests of language models read, and what the rules alone make of it."""

NOON = 1_772_712_000_000_000
CHAT = [
    {
        "role": "user",
        "name": "Mira",
        "content": "I live in Bern with two cats, and my knee has been acting up.",
    },
    {"role": "assistant", "content": "That sounds painful. Which knee is it, and since when?"},
    {
        "role": "user",
        "name": "Mira",
        "content": "The left one. Physiotherapy on Mondays helps the knee a little.",
    },
]
BY_RULES = "Mira lives in Bern with two cats"
