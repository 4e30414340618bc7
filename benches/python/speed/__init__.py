"""How fast bardo is beside others: every system does the same work in turns, in one process and on one core."""

from common import alone as alone
