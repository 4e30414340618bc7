"""Simulated generations of agents."""

def simulate_lives(world: str, arm: str, seed: int) -> str:
    """Runs the generations of one arm under one seed. Releases the global interpreter lock.

    Args:
        world: Settings of world and policy as a JSON object; see `bardo.simulate.experiment.World`.
        arm: Rule of inheritance as a JSON object; see `bardo.simulate.experiment.Arm`.
        seed: Seed of the world, 0 to 2**64 - 1. The same seed gives the same world in every arm.

    Returns:
        JSON list of one object per generation: `generation`, `lifetime` (ticks), `cause` (`ruin`, `trap`, `hazard`,
        `senescence` or `limit`), `regret` (mean per tick, in units of reward), `recovery` (mean ticks after a regime
        switch, or null), `traps_sprung`, `relevant` (share of the entries read, or null), `inherited` (entries),
        `bytes`, `capital`.

    Raises:
        InvalidInputError: A setting is unknown, of another type, or out of its range.
    """
