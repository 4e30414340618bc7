"""Memory for agents that live long, forget on purpose, die, and leave their heirs the little that is worth having."""

from bardo._core import __version__

__all__ = ["__version__"]
