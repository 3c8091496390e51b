"""Reader: what one line says about another, by adapters of the bundled encoder with small heads.

A head is a graph of its own, 22 MB in 8 bits, built on this machine at its first question: the
encoder with the head's adapter merged, and the head behind it (or beside it, where a head judges
single parts of a text). Which words, rows and positions the graphs read comes from the folder of
the bundled embedder.
"""

import hashlib
import math
import sys
import time
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from gieok.errors import EmbedderFailed
from gieok.models.local import room
from gieok.models.local.adapter import (
    BEARS,
    BREAKS,
    RELATION,
    RULES,
    SPANS,
    WORTH,
    hash_adapter,
    open_adapter,
)
from gieok.models.local.releases import CURRENT
from gieok.ports.models import ChangeReading, RuleStretch, SentenceReading
from gieok.precedence import PROMPTS
from gieok.text.secrets.windows import list_windows

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from gieok.models.local.encoder import InferenceSession, TokenTable
    from gieok.models.local.rule_head import RuleHead
    from gieok.models.local.tokenizer import TextPiece
    from gieok.models.local.value_head import ValueHead

#: Answers of the head *relation*, in the order of its logits.
RELATIONS = ("same", "replaces", "partial", "ends", "other", "talk", "unrelated")
_CHANGES = (RELATIONS.index("replaces"), RELATIONS.index("ends"))
_PARTIAL = RELATIONS.index("partial")
#: Tokens of a pair that are read, both halves together, and of one half.
_LONGEST, _HALF = 190, 88
#: Seconds after which a head that could not be opened is tried again.
_FAILED_S = 3_600.0
#: Parts of the logits of the head *worth*: whether a sentence is worth keeping (no, yes), and
#: whom it is about (nobody, the user, the project, others).
_WORTH, _ABOUT, _USER = slice(0, 2), slice(13, 17), 1
#: Logits of the head *bears*: that a line helps with a question, and that who wrote a line says
#: something of themselves.
_HELPS, _TOLD = 0, 1
#: Pieces of a chat line that are read, the last of what was said before it, and of a value.
_LONGEST_CHAT_LINE, _BEFORE_CHAT_LINE, _LONGEST_VALUE = 100, 40, 24
#: What is written before a text that nobody asks.
_PASSAGE = "passage:"
#: What is written before a question, and the pieces of it and of a line that are read.
_QUERY = "query:"
_LONGEST_QUESTION, _LONGEST_LINE = 72, 110
#: Pieces that are read for one question, with all lines: a thousand take some 100 ms. The first
#: lines are read however long they are.
_MOST_PIECES, _FEWEST_LINES = 800, 4
#: Logit from which a value counts as a secret, and pieces of a window that are read.
_SECRET_CUT = 1.0
_LONGEST_WINDOW = 188
#: Windows of a text that are read.
_MOST_WINDOWS = 40
#: Pieces of a message that are read at once for its rules, and of what was said before it.
_LONGEST_MESSAGE, _BEFORE_MESSAGE = 140, 48
#: Parts of a message that are read.
_MOST_PARTS = 8
_MODEL_DIGITS = 12
_SENTENCE_ENDS = frozenset(".!?。…\n")
#: What is written before a rule and before a tool's use, and the pieces of each that are read.
_RULE, _USE = "rule:", "use:"
_LONGEST_RULE, _LONGEST_USE = 56, 72
#: Texts whose secrets stay known: a copied transcript or a record is read more than once.
_TEXTS_KEPT = 2_000
#: Tokens of a turn that are read, and of the words before it.
_LONGEST_TURN, _HALF_OF_TURN = 126, 64


class LocalReader:
    """`Reader` on the bundled model. Cheap to make, safe to share between threads."""

    def __init__(
        self, models: Path, *, threads: int = 1, say: Callable[[str], None] = lambda line: None
    ) -> None:
        """Use the heads under `models`; a missing one is built there."""
        self._models = models
        self._threads = threads
        self._say = say
        self._lock = Lock()
        #: What all heads read texts with, opened with the first of them.
        self._table: TokenTable | None = None
        self._heads: dict[str, tuple[TokenTable, InferenceSession]] = {}
        self._value_head: ValueHead | None = None
        self._rule_head: RuleHead | None = None
        #: For what is known of texts; `_lock` is held for seconds while a head is built.
        self._known = Lock()
        #: Digest of a text → the places of its secrets.
        self._secrets: dict[bytes, list[tuple[int, int]]] = {}
        #: Head → what went wrong, and until when it is not tried again: building takes seconds.
        self._failed: dict[str, tuple[EmbedderFailed, float]] = {}

    def read_sentence(self, text: str, before: str = "") -> SentenceReading:
        """Return what a user's sentence is worth, and whether it is about the user."""
        table, session = self._head(WORTH)
        ids = list(table.ids(_PASSAGE))
        if before:
            ids += [*table.ids("Assistant:"), *table.ids(f'"{before}"')][:_HALF_OF_TURN]
        ids += [*table.ids("User:"), *table.ids(f'"{text}"')]
        logits = _read_logits(table, session, ids[:_LONGEST_TURN])
        return SentenceReading(
            worth=_soften_logits(logits[_WORTH])[1],
            about_user=_soften_logits(logits[_ABOUT])[_USER],
        )

    def read_change(self, earlier: str, later: str) -> ChangeReading:
        """Return whether a later statement changes an earlier one."""
        table, session = self._head(RELATION)
        first = [*table.ids("earlier:"), *list(table.ids(earlier))[:_HALF]]
        ids = [*first, *table.ids("later:"), *table.ids(later)][:_LONGEST]
        chances = _soften_logits(_read_logits(table, session, ids))
        return ChangeReading(sum(chances[place] for place in _CHANGES), chances[_PARTIAL])

    def find_secrets(self, text: str, *, is_said: bool) -> list[tuple[int, int]]:
        """Return the places of the values near a cue that are secrets by their sense."""
        key = hashlib.sha256(f"{is_said} {text}".encode("utf-8", "replace")).digest()
        with self._known:
            known = self._secrets.get(key)
        if known is None:
            known = self._read_secrets(text, is_said=is_said)
            with self._known:
                if len(self._secrets) >= _TEXTS_KEPT:
                    self._secrets.clear()
                self._secrets[key] = known
        return known

    @property
    def rules_model(self) -> str:
        """Return the identity of the weights that find rules."""
        return hash_adapter(RULES)[:_MODEL_DIGITS]

    def find_rules(self, text: str, before: str = "") -> list[RuleStretch]:
        """Return the stretches of a user's message that state standing rules, in order."""
        table, session = self._head(RULES)
        if self._rule_head is None:
            from gieok.models.local.rule_head import RuleHead

            self._rule_head = RuleHead(open_adapter(RULES))
        composed = unicodedata.normalize("NFC", text)
        lead = list(table.ids(_PASSAGE))
        if before:
            said = islice(table.ids(before), _BEFORE_MESSAGE)
            lead += [*table.ids("Assistant:"), *said, *table.ids("User:")]
        found: list[RuleStretch] = []
        for pieces in islice(_split_message(composed, table), _MOST_PARTS):
            states = _run_graph(table, session, [*lead, *(piece.id for piece in pieces)])
            found += self._rule_head.find_stretches(states, 1 + len(lead), pieces)
        return found if composed == text else _place_in_text(found, text)

    def measure_breaks(self, rules: Sequence[str], use: str) -> list[float]:
        """Return the chance that a tool's use is what each rule forbids, in order."""
        from gieok.models.local.tokenizer import END
        from gieok.models.local.value_head import soften_logit

        table, session = self._head(BREAKS)
        given = [*table.ids(_USE), *islice(table.ids(use), _LONGEST_USE)]
        found: list[float] = []
        for rule in rules:
            said = [*table.ids(_RULE), *islice(table.ids(rule), _LONGEST_RULE)]
            (logit,) = _read_logits(table, session, [*said, END, *given])
            found.append(soften_logit(logit))
        return found

    def measure_help(self, question: str, lines: Sequence[str]) -> list[float]:
        """Return the log-odds that each of the first lines helps with a question, in order."""
        from gieok.models.local.tokenizer import END

        table, session = self._head(BEARS)
        asked = _cut_ids(table, _QUERY, question, _LONGEST_QUESTION)
        found: list[float] = []
        pieces = 0
        for line in lines:
            said = _cut_ids(table, _PASSAGE, line, _LONGEST_LINE)
            pieces += len(asked) + len(said)
            if pieces > _MOST_PIECES and len(found) >= _FEWEST_LINES:
                break
            found.append(_read_logits(table, session, [*asked, END, *said])[_HELPS])
        return found

    def measure_told(
        self, line: str, before: str, readings: Sequence[tuple[str, str]]
    ) -> list[float]:
        """Return the log-odds that who wrote a chat line says each reading of themselves."""
        from gieok.models.local.tokenizer import END

        table, session = self._head(BEARS)
        said = list(table.ids("Assistant:")) if before else []
        said += list(table.ids(before))[-_BEFORE_CHAT_LINE:] if before else []
        said += [*table.ids("User:"), *islice(table.ids(line), _LONGEST_CHAT_LINE), END]
        found: list[float] = []
        for name, value in readings:
            told = [*table.ids(f"{name}:"), *islice(table.ids(value), _LONGEST_VALUE)]
            found.append(_read_logits(table, session, [*said, *told])[_TOLD])
        return found

    def _read_secrets(self, text: str, *, is_said: bool) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        windows = list_windows(
            text, is_said=is_said, measure=self._count_pieces, room=_LONGEST_WINDOW
        )
        for window in islice(windows, _MOST_WINDOWS):
            table, session = self._head(SPANS)
            head = self._open_value_head()
            lead = list(table.ids(_PASSAGE))
            pieces = list(table.pieces("\n".join(window.lines)))[:_LONGEST_WINDOW]
            values = head.see_values(window.lines, pieces)
            if values:
                states = _run_graph(table, session, [*lead, *(piece.id for piece in pieces)])
                logits = head.judge_values(states, 1 + len(lead), values)
                found += [
                    window.find_place(value.start, value.end)
                    for logit, value in zip(logits, values, strict=True)
                    if logit >= _SECRET_CUT
                ]
        return _join_places(found)

    def _count_pieces(self, line: str) -> int:
        table, _ = self._head(SPANS)
        return len(list(table.ids(line)))

    def _open_value_head(self) -> "ValueHead":
        if self._value_head is None:
            from gieok.models.local.value_head import ValueHead

            self._value_head = ValueHead(open_adapter(SPANS))
        return self._value_head

    def _head(self, name: str) -> "tuple[TokenTable, InferenceSession]":
        PROMPTS.give_way()
        if name not in self._heads:
            with self._lock:
                error, until = self._failed.get(name, (None, 0.0))
                if error is not None and time.monotonic() < until:
                    raise error
                if name not in self._heads:
                    try:
                        self._heads[name] = self._open_head(name)
                        self._table = self._heads[name][0]
                    except EmbedderFailed as error:
                        self._failed[name] = error, time.monotonic() + _FAILED_S
                        raise
        return self._heads[name]

    def _open_head(self, name: str) -> "tuple[TokenTable, InferenceSession]":
        """Open a head, and build it where it is missing or damaged. Raises EmbedderFailed."""
        try:
            return self._open_or_build_head(name)
        except ImportError as error:
            from gieok.models.local import platforms

            raise EmbedderFailed(
                "the reader needs a package that is not there: {error}",
                error=error,
                hint=platforms.here().for_runtime(),
            ) from error
        except MemoryError as error:
            raise room.build_memory_shortage_error(
                "it ran out while the reader was loaded"
            ) from error

    def _open_or_build_head(self, name: str) -> "tuple[TokenTable, InferenceSession]":
        is_ready = "onnxruntime" in sys.modules
        room.require_address_space(room.HEAD_BYTES if is_ready else room.LOADED_BYTES)
        from gieok.models.local.encoder import TokenTable, load_errors, open_session
        from gieok.models.local.head_files import build_head, find_whole_head

        encoder_folder = self._models / CURRENT.folder

        def open_files(graph: Path) -> "tuple[TokenTable, InferenceSession]":
            table = self._table or TokenTable(encoder_folder)
            return table, open_session(str(graph), self._threads)

        file = find_whole_head(self._models, name)
        if file is not None:
            try:
                return open_files(file)
            except load_errors():
                pass  # built again below
        self._say("preparing the reader, once (a few seconds)")
        room.require_address_space(room.CONVERTED_BYTES)
        file = build_head(self._models, name, again=file is not None)
        try:
            return open_files(file)
        except load_errors() as error:
            raise EmbedderFailed(
                "the reader in {folder} cannot be loaded: {error}",
                folder=file.parent,
                error=error,
                encoder_folder=encoder_folder,
                hint="remove {folder} and {encoder_folder} and run the command again",
            ) from error


def _place_in_text(stretches: Sequence[RuleStretch], text: str) -> list[RuleStretch]:
    """Return stretches of the composed form of a text (NFC) as stretches of the text."""
    lengths = [len(unicodedata.normalize("NFC", text[:end])) for end in range(len(text) + 1)]
    return [
        one._replace(
            start=bisect_right(lengths, one.start) - 1, end=bisect_right(lengths, one.end) - 1
        )
        for one in stretches
    ]


def _split_message(text: str, table: "TokenTable") -> "Iterator[list[TextPiece]]":
    """Yield the pieces of a message in parts that are read at once, cut between sentences."""
    pieces = list(table.pieces(text))
    while len(pieces) > _LONGEST_MESSAGE:
        ends = (
            number
            for number in range(_LONGEST_MESSAGE, _LONGEST_MESSAGE // 2, -1)
            if text[: pieces[number].start].rstrip(" ")[-1:] in _SENTENCE_ENDS
        )
        cut = next(ends, _LONGEST_MESSAGE)
        yield pieces[:cut]
        pieces = pieces[cut:]
    if pieces:
        yield pieces


def _join_places(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return places in order, those that overlap as one."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _cut_ids(table: "TokenTable", lead: str, text: str, longest: int) -> list[int]:
    """Return the ids of a text behind what is written before it, no more than `longest`."""
    return list(islice(chain(table.ids(lead), table.ids(text)), longest))


def _read_logits(table: "TokenTable", session: "InferenceSession", ids: list[int]) -> list[float]:
    """Return the logits of a head. Raises EmbedderFailed."""
    logits: list[float] = _run_graph(table, session, ids).tolist()
    return logits


def _run_graph(
    table: "TokenTable", session: "InferenceSession", ids: list[int]
) -> "NDArray[float32]":
    """Return the output of a graph. Raises EmbedderFailed."""
    from gieok.models.local.encoder import INPUT

    try:
        output: NDArray[float32] = session.run(None, {INPUT: table.embed(ids)})[0]
    except _list_run_errors() as error:
        raise EmbedderFailed("the reader failed: {error}", error=error) from error
    return output


def _soften_logits(logits: Sequence[float]) -> list[float]:
    """Return the probabilities of answers that exclude each other."""
    most = max(logits)
    weights = [math.exp(logit - most) for logit in logits]
    total = sum(weights)
    return [weight / total for weight in weights]


def _list_run_errors() -> tuple[type[Exception], ...]:
    from gieok.models.onnx_errors import run_errors

    return (MemoryError, *run_errors())
