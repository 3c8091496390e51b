"""Project intelligence over code: an index of symbols and a graph of calls."""
