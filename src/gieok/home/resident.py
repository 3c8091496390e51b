"""State that the calls of one long-lived process share: open stores and the embedder.

Both are released while nobody calls.
"""

import gc
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence

from gieok import registry
from gieok.home.stores import Stores
from gieok.ports.models import Embedder, Reader, Reranker, Vector
from gieok.settings.table import OPTIONS
from gieok.settings.values import Settings

#: Callers in other environments may open more stores than this; the least recently used is closed.
_MOST_STORES = 4
#: The embedder of the settings and, while models are switched, the embedder of the existing
#: vectors.
_MOST_EMBEDDERS = 2
#: Texts whose vectors stay known, such as rules that each tool's use is held against.
_MOST_VECTORS = 500
#: Settings that do not decide where memory is kept; settings that a project may set are not among
#: them.
_OF_A_CALL = ("lang", "scope")


class Resident:
    """Open stores by the settings that decide them, and the embedder; thread-safe."""

    def __init__(self, *, follows: bool = False) -> None:
        """Create the shared state.

        `follows`: the process reads transcripts as agents write them, so that no call has to.
        """
        self.follows = follows
        self._lock = threading.Lock()
        self._stores: OrderedDict[object, Stores] = OrderedDict()
        self._embedders: OrderedDict[object, Embedder] = OrderedDict()
        self._reranker: tuple[object, Reranker] | None = None
        self._reader: tuple[object, Reader] | None = None
        self._vectors: OrderedDict[tuple[str, str], Vector] = OrderedDict()
        self._used_s = 0.0
        self._is_gate_ready = False

    def claim_gate_opening(self) -> bool:
        """Return whether what the gate needs is to be opened now: once until the next release."""
        with self._lock:
            is_claimed = not self._is_gate_ready
            self._is_gate_ready = True
            return is_claimed

    def stores(self, settings: Settings, environment: object, made: Callable[[], Stores]) -> Stores:
        """Return the stores of these settings, opened at the first call.

        `environment` holds the passwords of servers.
        """
        key: object = (
            str(settings.home),
            *(
                str(settings.values[option.name].value)
                for option in OPTIONS
                if not option.in_project and option.name not in _OF_A_CALL
            ),
        )
        if registry.STORES[settings.text("store")].is_remote:
            key = (key, environment)
        with self._lock:
            self._used_s = time.monotonic()
            stores = self._stores.pop(key, None) or made()
            self._stores[key] = stores
            if len(self._stores) > _MOST_STORES:
                self._stores.popitem(last=False)
            return stores

    def embedder(self, key: object, made: Callable[[], Embedder]) -> Embedder:
        """Return the embedder of these settings, opened at the first call.

        There are two embedders while models are switched.
        """
        with self._lock:
            self._used_s = time.monotonic()
            embedder = self._embedders.pop(key, None) or made()
            self._embedders[key] = embedder
            if len(self._embedders) > _MOST_EMBEDDERS:
                self._embedders.popitem(last=False)
            return embedder

    def reader(self, key: object, made: Callable[[], Reader]) -> Reader:
        """Return the reader of these settings, made at the first call."""
        with self._lock:
            self._used_s = time.monotonic()
            if self._reader is None or self._reader[0] != key:
                self._reader = (key, made())
            return self._reader[1]

    def reranker(self, key: object, made: Callable[[], Reranker]) -> Reranker:
        """Return the reranker of these settings, made at the first call."""
        with self._lock:
            self._used_s = time.monotonic()
            if self._reranker is None or self._reranker[0] != key:
                self._reranker = (key, made())
            return self._reranker[1]

    def embed_known_texts(self, embedder: Embedder, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of texts, of which most were asked for before."""
        with self._lock:
            known = {text: self._vectors.get((embedder.model, text)) for text in texts}
        new = [text for text, vector in known.items() if vector is None]
        fresh = dict(zip(new, embedder.embed_passages(new) if new else [], strict=True))
        with self._lock:
            for text, embedded in fresh.items():
                self._vectors[embedder.model, text] = embedded
            while len(self._vectors) > _MOST_VECTORS:
                self._vectors.popitem(last=False)
        return [fresh[text] if (vector := known[text]) is None else vector for text in texts]

    def release(self, idle_s: float) -> bool:
        """Release everything after `idle_s` seconds without a call, and give the memory back.

        Running calls keep what they use. Return whether anything was released.
        """
        with self._lock:
            is_empty = not (self._embedders or self._stores or self._reader)
            if is_empty or time.monotonic() - self._used_s < idle_s:
                return False
            self._embedders.clear()
            self._reranker = None
            self._reader = None
            self._is_gate_ready = False
            self._vectors.clear()
            self._stores.clear()
        gc.collect()
        if sys.platform == "linux":
            _trim_heap()
        return True


def _trim_heap() -> None:
    """Let the C library return free memory: of 90 MB, 63 remain with the trim and 75 without."""
    import ctypes  # 3 ms

    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    except (OSError, AttributeError):  # another C library
        return
