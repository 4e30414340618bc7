"""Plot of a family tree: a box per life, a row per generation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bardo.bequeath.family.family import FamilyTree, key
from bardo.consolidate.pages.wording import counted
from bardo.errors import MissingPackageError, StoreUnavailableError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bardo.bequeath.lineage import Life

#: Width of a life and height of a generation, in inches; dots per inch.
_WIDTH, _HEIGHT, _DPI = 3.1, 1.7, 130
_INK, _SOFT, _ALIVE, _DEAD = "#22272e", "#6b7480", "#2f7f6f", "#9b1c31"
#: Height of a line of a box and its padding, in points.
_LINE, _PAD = 12.4, 4.4
#: Spaces as wide as a character of a name.
_SPACES = 2.3
#: Characters of a name and of a cause of death in a box.
_NAME, _CAUSE = 26, 30


def plot(path: Path, tree: FamilyTree) -> None:
    """Writes the tree as an image; the suffix of the path, such as `.png` or `.svg`, sets its format.

    Args:
        path: Path of the image.
        tree: Family tree.

    Raises:
        MissingPackageError: matplotlib is not installed.
        StoreUnavailableError: The image cannot be written there, or the suffix is of no format.
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingPackageError(
            f"the plot of a lineage needs matplotlib, which does not load ({error}). Run: pip install 'bardo[demo]'"
        ) from error
    places = _places(tree)
    columns = max((column for column, _ in places.values()), default=0.0) + 1
    rows = max((row for _, row in places.values()), default=0) + 1
    with matplotlib.rc_context({"font.size": 9, "text.color": _INK}):
        size = (max(_WIDTH * columns, 5.0), _HEIGHT * rows + 0.5)
        figure = Figure(figsize=size, dpi=_DPI, layout="constrained")
        panel = figure.add_subplot()
        panel.set_xlim(-0.55, columns - 0.45)
        panel.set_ylim(rows - 0.45, -0.55)
        panel.set_axis_off()
        panel.set_title(f"Lineage of {len(tree.lives)} lives", loc="left", fontweight="bold", fontsize=12)
        lines = {
            key(life): _told(life, tree.handed.get(life.testament or ""), tells_birth=tree.tells_birth(life))
            for life in tree.lives
        }
        for life in tree.lives:
            for parent in tree.parents(life):
                halves = _half(lines[key(parent)]), _half(lines[key(life)])
                _edge(panel, places[key(parent)], places[key(life)], halves)
        for life in tree.lives:
            _box(panel, life, places[key(life)], lines[key(life)])
        try:
            # Without the version and the creation date, the same tree writes the same bytes.
            plain: dict[str, Any] = {"png": {"Software": None}, "svg": {"Date": None}}
            figure.savefig(path, metadata=plain.get(path.suffix.lstrip(".").lower()))
        except (OSError, ValueError) as error:
            raise StoreUnavailableError(
                f"cannot write the plot {path}: {error}. Choose another path"
            ) from error


def _places(tree: FamilyTree) -> dict[str, tuple[float, int]]:
    """Column and row of each life: a row per generation, each life as near below its parents as there is room."""
    found: dict[str, tuple[float, int]] = {}
    for row, generation in enumerate(sorted({life.generation for life in tree.lives})):
        lives = [life for life in tree.lives if life.generation == generation]

        def middle(life: Life) -> float:
            columns = [found[key(parent)][0] for parent in tree.parents(life) if key(parent) in found]
            return sum(columns) / len(columns) if columns else 0.0

        free = 0.0
        for life in sorted(lives, key=lambda life: (middle(life), life.agent)):
            column = max(free, middle(life))
            found[key(life)] = (column, row)
            free = column + 1.0
    return found


def _edge(
    panel: Axes, parent: tuple[float, int], child: tuple[float, int], halves: tuple[float, float]
) -> None:
    """Draws an arrow from the lower edge of a parent to the upper edge of a child."""
    panel.annotate(
        "", xy=(child[0], child[1] - halves[1]), xytext=(parent[0], parent[1] + halves[0]),
        arrowprops={"arrowstyle": "-|>", "color": _SOFT, "linewidth": 1.1, "shrinkA": 0, "shrinkB": 0},
    )  # fmt: skip


def _told(life: Life, handed: int | None, *, tells_birth: bool) -> list[str]:
    is_dead = life.death_tick is not None
    born = f", born at {life.birth_tick}" if tells_birth else ""
    lines = [f"generation {life.generation}{born}"]
    lines.append(f"† {life.death_tick}: {_short(life.cause or '', _CAUSE)}" if is_dead else "alive")
    if handed is not None:
        lines.append(f"handed over {counted(handed, 'fact')}")
    if life.parents:
        lines.append(f"confirmed {life.confirmed}, refuted {life.refuted}")
    return lines


def _half(lines: Sequence[str]) -> float:
    """Half of the height of a box, in rows."""
    return ((len(lines) + 1) * _LINE / 2 + _PAD) / (_HEIGHT * 72)


def _box(panel: Axes, life: Life, place: tuple[float, int], lines: Sequence[str]) -> None:
    colour = _ALIVE if life.death_tick is None else _DEAD
    name = _short(life.agent, _NAME)
    # Spaces make the box as wide as the name, which is printed over them in bold.
    wide = "\N{NO-BREAK SPACE}" * int(_SPACES * len(name))
    panel.text(
        *place, "\n".join([wide, *lines]), ha="center", va="center", fontsize=8, linespacing=1.35,
        bbox={"boxstyle": "round,pad=0.55", "facecolor": "white", "edgecolor": colour, "linewidth": 1.4},
    )  # fmt: skip
    panel.annotate(
        name, place, xytext=(0, _LINE / 2 * len(lines)), textcoords="offset points",
        ha="center", va="center", fontweight="bold", fontsize=9.5,
    )  # fmt: skip


def _short(text: str, limit: int) -> str:
    plain = "".join(sign if sign.isprintable() else " " for sign in text).replace("$", r"\$")
    return plain if len(plain) <= limit else f"{plain[: limit - 1]}…"
