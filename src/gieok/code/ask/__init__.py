"""Questions to the graph: search, lookup, impact."""
