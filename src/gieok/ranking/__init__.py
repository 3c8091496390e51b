"""Ranking: from a question to hits. Evidence, likelihood, fusion, timeline, learned weights."""
