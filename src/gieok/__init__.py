"""Gieok (기억): one long-term memory for AI agents.

The public API: `gieok.open()`, a memory with methods. Beneath it: the nouns of `gieok.model`, the
protocols of `gieok.ports`, and `open_call`, which wires them. Names are imported when they are
first used, so that `import gieok` costs nothing.
"""

import os

#: Turns the telemetry of dependencies off (docs/privacy.md). Set here because every process imports
#: this module before it can load a dependency, and child processes inherit the environment. A value
#: set earlier is overwritten.
_NO_TELEMETRY = {
    "ORT_DISABLE_TELEMETRY": "1",  # onnxruntime: a device id and what machine this is, to Microsoft
    "ANONYMIZED_TELEMETRY": "False",  # chromadb
    "HF_HUB_DISABLE_TELEMETRY": "1",  # huggingface_hub, which chromadb brings along
    "DO_NOT_TRACK": "1",  # what any other may heed
}
os.environ.update(_NO_TELEMETRY)

TYPE_CHECKING = False  # of `typing`, which the prompt hook has no time to import
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.1.0"

_EXPORTS = {
    "AsyncMemory": "gieok.surfaces.python",
    "Document": "gieok.model.memory",
    "Entry": "gieok.model.memory",
    "Filter": "gieok.model.retrieval",
    "GieokError": "gieok.errors",
    "Hit": "gieok.model.retrieval",
    "Memory": "gieok.surfaces.python",
    "Passage": "gieok.model.memory",
    "Profile": "gieok.ranking.profile",
    "Question": "gieok.ranking.recall",
    "Scope": "gieok.model.memory",
    "open": "gieok.surfaces.python",
    "open_async": "gieok.surfaces.python",
    "open_call": "gieok.home.calls",
    "recall": "gieok.ranking.recall",
}

__all__ = sorted(_EXPORTS)  # noqa: PLE0605 - one table, not two


def __dir__() -> list[str]:
    """Return the public names, also those that nobody has used yet."""
    return sorted({*globals(), *_EXPORTS})


def __getattr__(name: str) -> "Any":  # noqa: ANN401 - PEP 562
    from importlib import import_module

    if name not in _EXPORTS:
        raise AttributeError(f"module 'gieok' has no attribute {name!r}")
    return getattr(import_module(_EXPORTS[name]), name)
