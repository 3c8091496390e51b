"""From the files of a project to its graph."""
