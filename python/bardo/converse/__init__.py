"""Conversations: triage of messages, summaries, memories of replies, and checks of notes."""
