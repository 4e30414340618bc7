"""InheritBench: how much of a life an heir can answer for."""

from common import alone as alone
