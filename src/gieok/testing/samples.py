"""Documents, questions and results in the short form in which tests write them.

Child processes of tests import this module and not the contracts, which import pytest and
Hypothesis: 80 ms instead of 450.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from random import Random
from typing import Protocol

from gieok.model.conversation import Message, Role
from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.model.retrieval import KeywordQuery, Ranking, VectorQuery
from gieok.ports.store import KeywordSearch, ModelSwitch, Store, VectorCopy
from gieok.testing.hash_embedder import HashEmbedder
from gieok.text.keywords import query_tokens

START = datetime(2026, 1, 1, tzinfo=UTC)
AT = datetime(2026, 11, 21, 12, 0, 0, 123_000, tzinfo=UTC)
HOME = Scope("agent:main")
OTHER = Scope("agent:other")
EVERYTHING = 10_000
WORDS = [
    *(
        "결제",
        "정산",
        "환불",
        "서버",
        "배포",
        "백업",
        "김치찌개",
        "고양이",
        "회의",
        "일정",
        "제주도",
        "여행",
    ),
    *(
        "invoice",
        "parser",
        "deploy",
        "retry",
        "timeout",
        "cat",
        "boiler",
        "checkout",
        "parseInvoiceDate",
    ),
    *("refund_policy", "server", "backup", "meeting"),
]

#: A passage without its id, which differs between stores: key, first line, text.
Place = tuple[str, int, str]


class FullStore(Store, KeywordSearch, ModelSwitch, VectorCopy, Protocol):
    """A store with every ability."""


def build_entry(
    key: str, *lines: str, scope: Scope = HOME, context: str = "", kind: str = "note", day: int = 0
) -> Entry:
    """Return a document with one passage per line, `day` days after the start."""
    text = "\n".join(lines)
    moment = START + timedelta(days=day)
    document = Document(
        scope=scope,
        key=key,
        kind=kind,
        text=text,
        content_hash=_hash_sample_text(text),
        created_at=moment,
        updated_at=moment,
    )
    return Entry(document, tuple(_iter_line_passages(lines, context)))


def _iter_line_passages(lines: tuple[str, ...], context: str) -> Iterator[Passage]:
    start = 0
    for number, line in enumerate(lines, 1):
        yield Passage(
            start=start, end=start + len(line), start_line=number, end_line=number, context=context
        )
        start += len(line) + 1


def _hash_sample_text(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def corpus(seed: int, documents: int, scope: Scope = HOME) -> list[Entry]:
    """Return random documents in Korean and English.

    Some have a context; they are of two kinds and of many days.
    """
    random = Random(seed)  # noqa: S311 - the same every time is the point
    return [
        build_entry(
            f"{seed}/{number}.md",
            *(
                " ".join(random.choices(WORDS, k=random.randint(1, 12)))
                for _ in range(random.randint(0, 5))
            ),
            scope=scope,
            context=" ".join(random.choices(WORDS, k=random.choice((0, 0, 2)))),
            kind=random.choice(("note", "session")),
            day=number,
        )
        for number in range(documents)
    ]


def build_keyword_query(
    text: str,
    k1: float = 1.2,
    b: float = 0.75,
    context: float = 0.5,
    spread: tuple[float, ...] = (),
) -> KeywordQuery:
    """Return the keyword query of `text`."""
    return KeywordQuery(
        weights=query_tokens(text), k1=k1, b=b, context_weight=context, spread=spread
    )


def near(embedder: HashEmbedder, text: str, hub_weight: float = 0.0) -> VectorQuery:
    """Return the vector query of `text`."""
    return VectorQuery(vector=embedder.embed_query(text), hub_weight=hub_weight)


def embed_missing(store: FullStore, embedder: HashEmbedder, limit: int = EVERYTHING) -> None:
    """Embed passages that have no vector, newest first."""
    missing = store.missing(limit)
    vectors = embedder.embed_passages([text for _, text in missing])
    store.put_vectors(
        embedder.model,
        {passage: vector for (passage, _), vector in zip(missing, vectors, strict=True)},
    )


def list_ranked_places(store: Store, ranking: Ranking) -> list[Place]:
    """Return the passages of a ranking, in order."""
    return [(p.key, p.start_line, p.text) for p in store.passages([i for i, _ in ranking.ranked])]


def scores(ranking: Ranking) -> list[float]:
    """Return the scores of a ranking, in order."""
    return [score for _, score in ranking.ranked]


def list_ranked_keys(store: Store, ranking: Ranking) -> list[str]:
    """Return the keys of the passages of a ranking, in order."""
    return [key for key, _, _ in list_ranked_places(store, ranking)]


def build_message(
    identity: str, text: str = "", *, tokens: int = 10, session: str = "s"
) -> Message:
    """Return a message; its text is its id where none is given."""
    return Message(
        id=identity,
        role=Role.USER,
        text=text or identity,
        at=AT,
        session=session,
        agent="plain",
        tokens=tokens,
        source="/t/s.jsonl",
        line=7,
    )
