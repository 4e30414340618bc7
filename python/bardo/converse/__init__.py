"""Conversations: triage of messages, and checks of notes."""
