"""What agents wrote and nobody took in yet, for commands that answer without a daemon."""

from typing import NamedTuple

from gieok.engine import lifecycle
from gieok.errors import GieokError
from gieok.ops.context import Context
from gieok.ops.operation import Words
from gieok.ports.store import VectorSearch


class Behind(NamedTuple):
    """What agents wrote that is not searchable yet: transcripts to read, and messages."""

    transcripts: int
    messages: int

    def words(self) -> Words:
        """Say what waits, and how it is taken in."""
        t, m = self
        return Words(
            f"not searchable yet: {t:,} transcripts, {m:,} messages: `gieok up` follows them, `gieok index` takes them in now",
            f"아직 검색되지 않음: 대화 기록 {t:,}개, 메시지 {m:,}개. `gieok up`이 따라가고, `gieok index`가 지금 받아들입니다",
        )


def caught_up(context: Context, *, use_vectors: bool) -> Behind | None:
    """Take in what was said last where no daemon does; return what that leaves, None for nothing. Never in the way."""
    try:
        left = context.memory.catch_up()
        if left.made and use_vectors and isinstance(store := context.memory.store(), VectorSearch):
            embedder = context.memory.embedder()
            if embedder is not None:
                lifecycle.fill_vectors(store, embedder, batches=1)
    except (GieokError, OSError) as error:  # a store or a journal that is busy or read-only: what is there answers
        context.say(str(error))
        return None
    return Behind(left.transcripts, left.messages) if left else None
