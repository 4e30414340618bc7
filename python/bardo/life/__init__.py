"""The agent's life: three clocks of vitality, phases, affect, and somatic markers."""
