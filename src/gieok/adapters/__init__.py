"""Memory slots of other frameworks.

`from gieok.adapters import langgraph, openai_agents, pydantic_ai`. Each adapter needs its framework
installed, and only the adapter that is imported.
"""

from gieok.errors import MissingExtra


def build_missing_framework(error: ModuleNotFoundError, package: str) -> MissingExtra:
    """Return the error for a framework that is not installed."""
    return MissingExtra(
        "this needs the Python package {name!r}",
        name=error.name,
        package=package,
        hint="run `pip install {package}`",
    )
