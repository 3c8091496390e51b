"""Memory slots of other frameworks.

`from gieok.adapters import langgraph, openai_agents, pydantic_ai`. Each adapter needs its framework
installed, and only the adapter that is imported.
"""

from gieok.errors import MissingExtra


def build_missing_framework(error: ModuleNotFoundError, package: str) -> MissingExtra:
    """Return the error for a framework that is not installed."""
    return MissingExtra(
        f"this needs the Python package {error.name!r}", hint=f"run `pip install {package}`"
    )
