"""Ranking, from a question to hits: evidence, likelihood, fusion, timeline, learned weights."""
