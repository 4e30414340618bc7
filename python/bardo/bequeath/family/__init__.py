"""Families of agents: their tree, their beliefs over generations, and audits of lives."""
