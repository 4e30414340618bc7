"""Resources of a gate beside its rules: flows, capabilities, missions and bridges."""
