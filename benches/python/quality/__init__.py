"""How well memories are found: every system answers the same questions over the same conversations in one run."""

from common import alone as alone
