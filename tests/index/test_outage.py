"""While the embedding model is out of reach, all that does not need it is done, and the rest once it answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import bardo
from bardo.index.embedding.embedders import function_embedder
from bardo.ports import Vectors


class Server:
    """A model behind a server that may be down."""

    def __init__(self, *, is_down: bool) -> None:
        self.is_down = is_down

    def embed(self, texts: list[str]) -> Vectors:
        if self.is_down:
            raise RuntimeError("server down")
        return np.array([np.random.default_rng(list(text.encode())).normal(size=8) for text in texts], "f4")


def test_a_sleep_without_the_model_does_the_rest_and_says_what_waits(tmp_path: Path) -> None:
    server = Server(is_down=True)

    # Without `dims` the embedder has to be asked even for how long its vectors are.
    with bardo.open(tmp_path / "agent", embedder=function_embedder(server.embed, name="remote")) as memory:
        for tick in range(1, 31):
            memory.remember(
                f"swap {tick}", tick=tick, payload={"slippage": tick / 10}, verified=True, subjects=["pool"]
            )
        assert memory.stats()["model"] is None
        slept = memory.sleep()
        assert slept.episodes == 30
        assert memory.facts.list()
        assert (slept.embedded, slept.archived) == (0, 0)
        assert "30 episodes are not in LanceDB yet" in slept.notes[0]
        assert "server down" in slept.notes[-1]

        server.is_down = False
        slept = memory.sleep()
        assert slept.embedded > 30
        assert slept.archived == 30
        assert slept.notes == ()


def test_a_cold_episode_is_recalled_by_its_words_without_the_model(tmp_path: Path) -> None:
    server = Server(is_down=False)

    def reopen() -> bardo.Grimoire:
        embedder = function_embedder(server.embed, name="remote")
        return bardo.open(tmp_path / "agent", embedder=embedder, config={"index": {"hot_limit": 20}})

    with reopen() as memory:
        memory.remember([f"swap number {number} of the morning" for number in range(60)])
        memory.sleep()
    server.is_down = True
    with reopen() as memory:
        assert memory.stats()["hot"]["cold_upto"] == 40
        assert memory.stats()["model"] == "remote"
        found = memory.recall("swap number 7", limit=3)
        assert "swap number 7 of the morning" in [known.text for known in found]
        assert any("server down" in note for note in found.notes)
        assert memory.maintenance.rebuild()["rebuilt"]["lance"] == 60
