"""Keeps which stretches of users' lines the reader takes for standing rules.

The reader needs some ten milliseconds a line, so each line is read once, a few hundred at a time.
The files name lines by a checksum and stretches by their places, and hold no text: forgotten text
is not in them. Where no reader runs there is no file, and rules are found by words alone.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from gieok import fs
from gieok.errors import EmbedderFailed
from gieok.memory.talk import turns
from gieok.model.memory import Document
from gieok.places.home import build_readings_file, list_readings_files
from gieok.places.scope import is_brought, is_served
from gieok.ports.models import Reader, RuleKind, RuleStretch
from gieok.ports.store import Documents
from gieok.text import binding
from gieok.text.assent import accepts
from gieok.text.gates.statement import read_action_rules
from gieok.text.handles import line_check
from gieok.text.indirect import asks_politely, find_indirect_rules
from gieok.text.turns import ASSISTANT, USER

#: To be raised whenever the same lines would be read differently by the same model.
_VERSION = 2
#: Lines that are read in one step, and failures after which a step reads no more.
_MOST_LINES, _MOST_FAILURES = 300, 2
#: A shorter line may be an answer, which is read together with what it answers.
_LONGEST_ANSWER = 40
#: Chance from which a stretch counts as a rule.
SAID = 0.97
#: And from which it may be one. Below, hardly one in ten is: of 550 ordinary messages of a stranger
#: seven lie there, of 190 messages with a rule eight.
POSSIBLE = 0.5
#: And from which it is one though its words forbid, order and bound nothing ("releases are Priya's").
#: Below, such words tell how things are: "we moved CI to hosted runners". Of 1,600 ordinary messages
#: 22 have such a stretch below it, of 192 messages with a rule 8.
CERTAIN = 0.9985
_FORBIDDING = (RuleKind.NEVER, RuleKind.ASK)
#: A message of so few sentences is told whole where its rule was not marked itself.
_FEW_SENTENCES = 2
_AT_ONCE = 200
#: Sentences over which a stretch has to reach to be split.
_FEWEST_PARTS = 2
#: Day of a message for whose rules the day does not count.
_ANY_DAY = date(2000, 1, 1)
#: Stretches of a line: start, end, kind and chance.
_Stretches = list[tuple[int, int, str, float]]
#: Document → its hash once all its lines are read, and line → stretches.
ScopeLines = dict[str, tuple[str, dict[str, _Stretches]]]


class RuleReadings:
    """What the reader found in the lines of a scope."""

    def __init__(self, lines: ScopeLines) -> None:
        self._lines = lines

    def find_stretches(self, key: str, check: int) -> tuple[RuleStretch, ...] | None:
        """Return the stretches of a line by its document and checksum; None for an unread one."""
        _, by_line = self._lines.get(key, ("", {}))
        rows = by_line.get(str(check))
        if rows is None:
            return None
        return tuple(
            RuleStretch(start=start, end=end, kind=RuleKind(kind), chance=chance)
            for start, end, kind, chance in rows
        )

    def stamp_document(self, key: str, content_hash: str) -> str:
        """Return what a judgement of a document belongs to: its content, and whether it was read."""
        is_read = self._lines.get(key, ("",))[0] == content_hash
        return f"{content_hash} read" if is_read else content_hash


def read_stretches(reader: Reader, words: str, before: str = "") -> list[RuleStretch]:
    """Return the stretches of a user's line that state rules or may, in order.

    What the reader finds, and sentences that forbid something in polite or everyday words, most of
    which it takes for a wish: they may state a rule. Where it holds one for possible, form and
    reader together are as good as the reader where it is sure. Raises EmbedderFailed.
    """
    found = reader.find_rules(words, before)
    for start, end, _ in find_indirect_rules(words):
        within = [one for one in found if one.start < end and start < one.end]
        stating = [one for one in within if one.kind is not RuleKind.ALLOWED]
        if may_forbid(stating):
            found = [
                one._replace(chance=max(one.chance, SAID)) if one in stating else one
                for one in found
            ]
        elif len(stating) == len(within):  # a sentence that also allows something is left
            found = [one for one in found if one not in within]
            found.append(RuleStretch(start, end, RuleKind.NEVER, POSSIBLE))
    return sorted(found)


def list_said_rules(
    words: str, question: str, stretches: Sequence[RuleStretch] | None
) -> list[str]:
    """Return the sentences of a turn that state a standing rule.

    `question` is the agent's question or proposal before the turn, '' for none. `stretches`: what
    the reader found in the words; None where it did not read them.
    """
    if stretches is None or (question and accepts(words)):
        return binding.rules_in(words, question)
    sure = {rule.text for rule in read_action_rules(words, _ANY_DAY)}
    if stretches:  # what the reader holds for possible, words alone may decide
        sure.update(binding.rules_in(words, question))
    else:
        sure.update(binding.plain_rules_in(words))
    telling = _list_telling_stretches(words, stretches)
    said = {
        sentence
        for one in telling
        for part in split_at_sentences(words, one)
        if (sentence := find_said_sentence(words, part))
    }
    sentences = [sentence for _, _, sentence in binding.place_own_sentences(words)]
    rules: list[str] = []
    for number, sentence in enumerate(sentences):
        whole = binding.join_object(sentence, sentences[:number])
        # A sentence for the eye may be two: "하지마 다시 빌드하는데 40분 걸려".
        has_sure = any(rule in sentence for rule in sure)
        if has_sure or not {sentence, whole}.isdisjoint(sure | said):
            rules.append(whole)
    return rules


def _list_telling_stretches(words: str, stretches: Sequence[RuleStretch]) -> list[RuleStretch]:
    """Return the stretches that tell what must be done or not.

    A message with stretches states a rule. Where only a permission was marked, the rule stands in
    it or beside it: of a short message all is told, else what was marked.
    """
    telling = [one for one in stretches if one.kind is not RuleKind.ALLOWED]
    if telling or not stretches:
        return telling
    places = list(binding.place_own_sentences(words))
    marked = stretches[0]._replace(kind=RuleKind.NEVER)
    if len(places) <= _FEW_SENTENCES:
        return [marked._replace(start=start, end=end) for start, end, _ in places]
    return [one._replace(kind=RuleKind.NEVER) for one in stretches]


def forbids_surely(stretches: Sequence[RuleStretch] | None) -> bool:
    """Return whether a turn surely forbids something to agents, or asks to be asked before."""
    return any(one.kind in _FORBIDDING and one.chance >= SAID for one in stretches or ())


def may_forbid(stretches: Sequence[RuleStretch] | None) -> bool:
    """Return whether a turn may forbid something to agents, or ask to be asked before."""
    return any(one.kind in _FORBIDDING and one.chance >= POSSIBLE for one in stretches or ())


def split_at_sentences(words: str, stretch: RuleStretch) -> list[RuleStretch]:
    """Return the parts of a stretch that lie in one of the user's own sentences each.

    The reader marks what stands side by side in one go: "don't roll it out today. never deploy on
    Fridays" states two rules. A part of one word is the edge of a mark, and left out.
    """
    parts = [
        stretch._replace(start=max(start, stretch.start), end=min(end, stretch.end))
        for start, end, _ in binding.place_own_sentences(words)
        if start < stretch.end and stretch.start < end
    ]
    if len(parts) < _FEWEST_PARTS:
        return [stretch]
    whole = [part for part in parts if len(words[part.start : part.end].split()) > 1]
    return whole or [stretch]


def find_said_sentence(words: str, stretch: RuleStretch) -> str:
    """Return the user's own sentence that surely states a rule by a stretch; '' for none.

    What lies in quotation marks states none, nor does a sentence that lifts a rule, asks, supposes
    a case, asks for a piece of work and no more, or only tells not to worry or to forget. A sentence
    that bounds nothing by its words states one where the reader is certain.
    """
    if not forbids_surely([stretch]):
        return ""
    place = _place_stretch(words, stretch)
    return "" if place is None or place.states_none or place.is_bounded else place.sentence


def find_doubtful_sentence(words: str, stretch: RuleStretch) -> str:
    """Return the user's own sentence that may state a rule by a stretch; '' for none.

    One thing may speak against it: the reader is not sure, or the sentence asks something or names
    its moment. Where both do it states none.
    """
    if not may_forbid([stretch]):
        return ""
    place = _place_stretch(words, stretch)
    if place is None or place.states_none:
        return ""
    return place.sentence if place.is_bounded == forbids_surely([stretch]) else ""


class _StretchPlace(NamedTuple):
    """Sentence of a stretch: whether it states no rule, and whether it asks or names its moment."""

    sentence: str
    states_none: bool
    is_bounded: bool


def _place_stretch(words: str, stretch: RuleStretch) -> _StretchPlace | None:
    """Return the user's own sentence of a stretch; None where there is none."""
    if not binding.blank_quotations(words)[stretch.start : stretch.end].strip():
        return None
    for start, end, sentence in binding.place_own_sentences(words):
        if start < stretch.end and stretch.start < end:
            is_lifting = binding.lifts_at(
                words[start:end], stretch.start - start, stretch.end - start
            )
            return _StretchPlace(
                sentence,
                states_none=is_lifting
                or binding.is_supposed(sentence)
                or binding.is_plain_request(sentence)
                or binding.forbids_only_worry(sentence)
                or (stretch.chance < CERTAIN and not _bounds_something(words, stretch, sentence)),
                is_bounded=(binding.asks_question(sentence) and not asks_politely(sentence))
                or binding.names_moment(sentence),
            )
    return None


def _bounds_something(words: str, stretch: RuleStretch, sentence: str) -> bool:
    """Say whether the sentence of a stretch forbids, bounds or orders something by its words."""
    return binding.bounds_something(sentence) or any(
        start < stretch.end and stretch.start < end for start, end, _ in find_indirect_rules(words)
    )


def load_readings(home: Path, scope: str) -> RuleReadings:
    """Return what is kept of a scope."""
    return RuleReadings(_load_lines(home, scope)[1])


def read_rules(
    store: Documents, home: Path, reader: Reader
) -> tuple[Mapping[str, ScopeLines], bool]:
    """Let the reader read the lines that it has not read; return scope → all that is to be kept.

    Also returns whether lines still wait. Writes nothing, since no lock may be held for seconds.
    Where the reader fails, the lines wait for the next step.
    """
    step = _ReadingStep(reader)
    found: dict[str, ScopeLines] = {}
    waits = False
    for scope in store.scopes():
        if is_brought(scope.path) or is_served(scope.path):
            continue
        hashes = {key: sha for key, sha in store.hashes(scope).items() if turns.is_said(key)}
        model, known = _load_lines(home, scope.path)
        known = known if model == reader.rules_model else {}
        lines = {key: row for key, row in known.items() if key in hashes}
        changed = [key for key in hashes if lines.get(key, ("",))[0] != hashes[key]]
        changed.sort(reverse=True)
        for start in range(0, len(changed), _AT_ONCE):
            if step.is_over:
                break
            for document in store.get(scope, changed[start : start + _AT_ONCE]):
                _, by_line = lines.get(document.key, ("", {}))
                read = step.read_document(document, by_line)
                if read is not None:
                    lines[document.key] = hashes[document.key], read
        found[scope.path] = lines
        is_whole = all(lines.get(key, ("",))[0] == hashes[key] for key in changed)
        waits = waits or (not is_whole and not step.has_failed)
    return found, waits


def keep_readings(home: Path, reader: Reader | None, found: Mapping[str, ScopeLines]) -> None:
    """Write what `read_rules` returned, and nothing of other scopes; without a reader, nothing."""
    files = {build_readings_file(str(home), scope): lines for scope, lines in found.items()}
    for name in list_readings_files(str(home)):
        if name not in files or not files[name]:
            Path(name).unlink(missing_ok=True)
    for name, lines in files.items():
        if reader is not None and lines:
            _write_where_changed(Path(name), json.dumps([_VERSION, reader.rules_model, lines]))


def _write_where_changed(file: Path, text: str) -> None:
    try:
        if file.read_text(encoding="utf-8") == text:
            return
    except (OSError, ValueError):
        pass  # written anew
    fs.make_private(file.parent)
    fs.replace_private(file, text)


class _ReadingStep:
    """Reads a number of lines, and no more once the reader has failed."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._room, self._failures = _MOST_LINES, 0

    @property
    def has_failed(self) -> bool:
        return self._failures > 0

    @property
    def is_over(self) -> bool:
        return self._room <= 0 or self._failures >= _MOST_FAILURES

    def read_document(
        self, document: Document, known: Mapping[str, _Stretches]
    ) -> dict[str, _Stretches] | None:
        """Return line → stretches of the users' lines; None where not all of them could be read."""
        if self.is_over:
            return None
        read: dict[str, _Stretches] = {}
        for check, words, before in _iter_user_lines(document):
            if check in known:
                read[check] = known[check]
                continue
            try:
                stretches = read_stretches(self._reader, words, before)
            except EmbedderFailed:
                self._failures += 1
                return None
            read[check] = [(s.start, s.end, s.kind.value, round(s.chance, 3)) for s in stretches]
            self._room -= 1
        return read


def _load_lines(home: Path, scope: str) -> tuple[str, ScopeLines]:
    """Return the model that read the lines of a scope, and what it found; '' for nothing kept."""
    try:
        version, model, lines = json.loads(Path(build_readings_file(str(home), scope)).read_bytes())
        found = {key: (sha, dict(by_line)) for key, (sha, by_line) in lines.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return "", {}
    return (model, found) if version == _VERSION else ("", {})


def _iter_user_lines(document: Document) -> Iterator[tuple[str, str, str]]:
    """Yield (checksum, words, what was said before) of the users' lines."""
    before = ""
    for text in document.text.split("\n"):
        if text.startswith(f"{USER}: "):
            words = text[len(USER) + 2 :]
            yield str(line_check(text)), words, before if len(words) <= _LONGEST_ANSWER else ""
        before = text.removeprefix(f"{ASSISTANT}: ") if text.startswith(f"{ASSISTANT}: ") else ""
