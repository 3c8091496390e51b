"""Judgements that are kept between two digests."""

from gieok.memory.handoff.judgements import KeptJudge
from gieok.memory.observer.rules import StatementJudge
from gieok.memory.observer.standalone import UserStatement


class _KeptInMemory:
    """Kept values in memory."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    def kept(self, realm: str) -> dict[str, str]:
        del realm
        return dict(self.values)

    def keep(self, realm: str, values: dict[str, str], gone: list[str]) -> None:
        del realm
        for name in gone:
            self.values.pop(name, None)
        self.values |= values


class _CountingReader:
    """A reader that counts what it reads."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def read_sentence(self, said: str, before: str) -> object:
        del before
        self.read.append(said)
        return type("Reading", (), {"worth": 0.9, "about_user": 0.1})()


_TEXTS = [
    "We decided to host the docs on Cloudflare Pages.",
    "We'll use Postgres for the queue, and keep retries at five.",
]
_STATED = [UserStatement(text) for text in _TEXTS]


def test_a_statement_is_read_once_in_two_processes() -> None:
    kept, reader = _KeptInMemory(), _CountingReader()
    first = KeptJudge(lambda: reader, kept, 1.0).judge_statements(_STATED)
    again = KeptJudge(lambda: reader, kept, 2.0).judge_statements(
        [*_STATED, UserStatement("Never push to main.")]
    )
    assert again[:2] == first == StatementJudge(lambda: reader).judge_statements(_STATED)
    assert reader.read[: len(_TEXTS)] == _TEXTS
    assert reader.read.count(_TEXTS[0]) == 2, "by the first judge, and by the one that keeps none"
    assert all(text not in str(kept.values) for text in _TEXTS)


def test_what_words_judged_is_judged_anew_by_a_reader() -> None:
    kept, reader = _KeptInMemory(), _CountingReader()
    KeptJudge(lambda: None, kept, 1.0).judge_statements(_STATED)
    assert kept.values == {}
    KeptJudge(lambda: reader, kept, 2.0).judge_statements(_STATED)
    assert reader.read == _TEXTS
    assert len(kept.values) == 2


def test_a_judgement_is_kept_although_the_clock_was_set_back() -> None:
    kept, reader = _KeptInMemory(), _CountingReader()
    many = [UserStatement(f"We decided to host the docs {n} on Pages.") for n in range(600)]
    KeptJudge(lambda: reader, kept, 2_000.0).judge_statements(many)
    KeptJudge(lambda: reader, kept, 1_000.0).judge_statements(_STATED)
    reader.read.clear()
    KeptJudge(lambda: reader, kept, 1_001.0).judge_statements(_STATED)
    assert reader.read == []
