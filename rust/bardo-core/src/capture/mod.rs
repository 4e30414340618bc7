//! Fast, verbatim, durable: the episode log, and who owns it (spec 1).
