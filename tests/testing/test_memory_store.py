"""The in-memory store keeps its own contract."""

from collections.abc import Callable

import pytest

from gieok.testing import MemoryStore
from gieok.testing.contracts import LineContract, StoreContract


class TestMemoryStore(StoreContract, LineContract):
    @pytest.fixture
    def make_store(self) -> Callable[[], MemoryStore]:
        return MemoryStore
