"""Every embedder passes the contract."""

import pytest

from gieok.models.local.runtime import E5Embedder
from gieok.testing import HashEmbedder
from gieok.testing.contracts.embedder import EmbedderContract


class TestHashEmbedder(EmbedderContract):
    """The embedder for tests."""

    understands = False

    @pytest.fixture
    def embedder(self) -> HashEmbedder:
        """Return a new one."""
        return HashEmbedder()


class TestE5Embedder(EmbedderContract):
    """The bundled one."""

    @pytest.fixture
    def embedder(self, e5: E5Embedder) -> E5Embedder:
        """Return the one that is loaded."""
        return e5
