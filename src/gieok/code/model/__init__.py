"""Model of a project: facts, files, kinds of places, ranking of code."""
