"""One short life, with an installed bardo: run by distributions.py in a clean environment."""

import subprocess
import sys
from pathlib import Path

import bardo

LAG = "Liquidations followed the oracle update by two blocks"
FACT = "Oracle updates are followed by liquidations"

print(f"bardo {bardo.__version__} from {Path(bardo.__file__).parent}")
with bardo.open("elder") as grimoire:
    lag = grimoire.remember(LAG, tick=1, subjects=["aave"], payload={"lag": 2}, verified=True, importance=0.8)
    grimoire.remember("Gas was cheap all morning", tick=2)
    grimoire.learn(FACT, confidence=0.9, importance=0.9)

    memories = grimoire.recall("what follows an oracle update?", limit=3)
    texts = [memory.text for memory in memories]
    assert LAG in texts, f"recall did not find the episode: {texts}"
    assert FACT in texts, f"recall did not find the fact: {texts}"
    print(f"recalled {len(memories)} memories; the first: {memories[0].why}")

    prompt = grimoire.context("Liquidate now?", budget=1_200)
    assert prompt.tokens <= 1_200, f"the prompt has {prompt.tokens} tokens"
    assert LAG in str(prompt), "the prompt lacks the memory that answers"

    report = grimoire.sleep()
    print(f"slept: {report}")
    grimoire.bequeath("elder.testament", cause="economic")

with bardo.open("elder") as grimoire:
    assert grimoire.episodes.get(lag.id).text == LAG, "the episode did not survive closing and opening"

with bardo.inherit("elder.testament", "heir") as heir:
    inherited = [memory for memory in heir.recall("oracle update", limit=5) if memory.inherited]
    assert inherited, "the heir recalls nothing that it inherited"
    print(
        f"generation {heir.lineage.generation} recalls: {inherited[0].text} (confidence {inherited[0].confidence:.2f})"
    )

subprocess.run([sys.executable, "-I", "-m", "bardo", "stats", "--at", "heir", "--json"], check=True)
print("The installed wheel works")
