"""Helpers for tests of backends.

An in-memory store, a hash embedder, a manual clock, contract suites.
"""

from gieok.testing.clock import ManualClock
from gieok.testing.hash_embedder import HashEmbedder
from gieok.testing.memory_store import MemoryStore

__all__ = ["HashEmbedder", "ManualClock", "MemoryStore"]
