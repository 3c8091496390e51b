"""One converted model for all tests: in `GIEOK_TEST_MODELS`, or in the repository's cache folder."""

import os
from pathlib import Path

import pytest

from gieok.backends.embedders.e5.runtime import E5Embedder


@pytest.fixture(scope="session")
def models() -> Path:
    """Return a models folder with a finished model."""
    configured = os.environ.get("GIEOK_TEST_MODELS")
    folder = Path(configured) if configured else Path(__file__).parents[1] / ".cache" / "models"
    E5Embedder(folder).embed_query("")
    return folder


@pytest.fixture(scope="session")
def e5(models: Path) -> E5Embedder:
    """Return a loaded embedder."""
    return E5Embedder(models)
