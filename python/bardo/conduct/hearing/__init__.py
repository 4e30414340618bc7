"""Hearing: utterances as rejections, decisions, tasks, discoveries, learnings and rules."""
