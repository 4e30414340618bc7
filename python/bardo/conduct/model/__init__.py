"""Values of conduct: entries, rules, outcomes, procedures, and entries as memories of a prompt."""
