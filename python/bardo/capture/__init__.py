"""Capture of verbatim episodes: input, recorder, archive and inbox."""
