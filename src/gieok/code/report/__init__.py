"""Reports on the whole project: statistics, structure, map, page."""
