"""Commands on the code of a project."""
