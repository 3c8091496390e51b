"""Lines of memories that state something and name what an action is about.

Of conversations the user's statements count, as `talk.lasting_turns` judges them; of notes and
records every paragraph. What is found names lines and holds no text.
"""

import json
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gieok import fs
from gieok.flow.action_notes import NamedLines
from gieok.memory import observation
from gieok.memory.talk import lasting_turns, turns
from gieok.memory.talk.lasting_turns import LastingLine
from gieok.model.memory import Document, Scope
from gieok.places.home import action_file
from gieok.ports.store import Store
from gieok.text.attempts import names
from gieok.text.gates.vocabulary import KNOWN
from gieok.text.handles import line_check
from gieok.text.keywords import query_tokens
from gieok.text.markdown import front_matter
from gieok.text.tokens import estimate_tokens
from gieok.text.turns import USER

#: To be raised whenever the same documents would give other lines.
_VERSION = 1
_AT_ONCE = 200
_MOST_LINES = 800
#: Least probability that a turn states something that lasts.
_STATES = 0.5
_FEWEST_TOKENS = 8
_LONGEST_CHARS = 400
#: A shorter note is one statement, whatever its lines.
_WHOLE_CHARS = 500
_FEWEST_WORDS = 4
#: A statement that asks for assent at its end, such as "…, ok?".
_TAG_QUESTION = re.compile(r"[^?]{20,}[,.;!]\s*\S+(?: \S+)?\?\s*")
#: A word of more lines than this says nothing of a line's matter.
_FEW_LINES = 3


def list_named_lines(
    store: Store, home: Path, scope: Scope, programs: frozenset[str] | None
) -> list[NamedLines]:
    """Return the lines of a scope that name something, newest first.

    `programs` are programs that agents ran there, None for those of the last time. Documents are
    read once, until they change. Raises StoreError.
    """
    file = Path(action_file(str(home), str(scope))).with_suffix(".named")
    programs_before, before = _load_named_rows(file)
    programs = programs_before if programs is None else programs
    known = programs | KNOWN
    judged = _group_lines(lasting_turns.iter_judged_lines(store, scope, home))
    stamps = {
        key: _build_stamp(content_hash, judged.get(key, ()), known)
        for key, content_hash in store.hashes(scope).items()
        if (judged.get(key) if turns.is_said(key) else _is_note(key))
    }
    rows = {key: row for key, row in before.items() if stamps.get(key) == row[0]}
    changed = sorted(stamps.keys() - rows.keys())
    for start in range(0, len(changed), _AT_ONCE):
        for document in store.get(scope, changed[start : start + _AT_ONCE]):
            found = _iter_document_lines(document, judged.get(document.key, ()), known)
            rows[document.key] = (stamps[document.key], [_build_kept_row(one) for one in found])
    if changed or len(rows) != len(before) or programs != programs_before:
        row = [_VERSION, sorted(programs), rows]
        fs.make_private(file.parent)
        fs.replace_private(file, json.dumps(row, ensure_ascii=False).encode("utf-8", "replace"))
    every = [_KeptLine(**row) for _, lines in rows.values() for row in lines]
    standing = _drop_lifted(every)
    return sorted(standing, key=lambda one: (-one.at, one.key, one.first))[:_MOST_LINES]


class _KeptLine(NamedLines):
    """Line with checksums of its content words.

    `lifts`: it may take back what was said of them; `states`: it surely states something itself.
    """

    __slots__ = ("lifts", "states", "words")

    def __init__(
        self,
        *,
        words: Sequence[int],
        lifts: bool,
        states: bool,
        **named: Any,  # noqa: ANN401 - the fields of NamedLines
    ) -> None:
        super().__init__(**named)
        self.words, self.lifts, self.states = list(words), lifts, states


def _drop_lifted(lines: Sequence[_KeptLine]) -> list[NamedLines]:
    """Return the lines that no later one takes back.

    What takes back shares a file, or a word that few lines have, with what it takes back.
    """
    lifting = [line for line in lines if line.lifts]
    common = Counter(word for line in lines for word in set(line.words))
    lifted: set[int] = set()
    lifters: set[int] = set()
    for later in lifting:
        for line in lines:
            is_earlier = (line.at, line.key, line.first) < (later.at, later.key, later.first)
            if is_earlier and not line.lifts and _is_of_same_matter(line, later, common):
                lifted.add(id(line))
                lifters.add(id(later))
    return [
        NamedLines(**{name: getattr(line, name) for name in NamedLines.__slots__})
        for line in lines
        if line.states and id(line) not in lifted and id(line) not in lifters
    ]


def _is_of_same_matter(line: _KeptLine, later: _KeptLine, common: Mapping[int, int]) -> bool:
    if any(
        one.endswith(other) or other.endswith(one) for one in line.paths for other in later.paths
    ):
        return True
    shared = set(line.words) & set(later.words)
    return any(common[word] <= _FEW_LINES for word in shared)


def _is_note(key: str) -> bool:
    return not (turns.is_turns(key) or key.startswith(observation.PREFIX))


def _group_lines(lines: Iterable[LastingLine]) -> dict[str, list[LastingLine]]:
    by_key: dict[str, list[LastingLine]] = {}
    for line in lines:
        by_key.setdefault(line.key, []).append(line)
    return by_key


def _build_stamp(content_hash: str, judged: Sequence[LastingLine], known: frozenset[str]) -> str:
    data = repr(([tuple(line) for line in judged], sorted(known))).encode("utf-8", "surrogatepass")
    return f"{content_hash}:{zlib.crc32(data):08x}"


def _load_named_rows(
    file: Path,
) -> tuple[frozenset[str], dict[str, tuple[str, list[dict[str, Any]]]]]:
    """Return the programs and the rows of the file; nothing of another version."""
    try:
        version, programs, rows = json.loads(file.read_text(encoding="utf-8"))
        if version == _VERSION:
            by_key = {key: (stamp, lines) for key, (stamp, lines) in rows.items()}
            return frozenset(programs), by_key
    except (OSError, ValueError, TypeError, AttributeError):
        pass
    return frozenset(), {}


def _build_kept_row(one: _KeptLine) -> dict[str, Any]:
    return {name: getattr(one, name) for name in (*NamedLines.__slots__, *_KeptLine.__slots__)}


def _iter_document_lines(
    document: Document, judged: Sequence[LastingLine], known: frozenset[str]
) -> Iterator[_KeptLine]:
    lines = document.text.split("\n")
    is_said = turns.is_said(document.key)
    category = "" if is_said else document.metadata.get("category", "")
    if is_said:
        units: Iterable[tuple[int, int, float, int, bool]] = _iter_statements(lines, judged)
    else:
        at = document.said_at.timestamp()
        units = ((first, last, at, 0, True) for first, last in _iter_paragraphs(document))
    for first, last, at, rule, states in units:
        text = "\n".join(lines[first - 1 : last])
        words = [word for word in query_tokens(f"{text.removeprefix(f'{USER}: ')}?") if word[1:]]
        named = _KeptLine(
            words=[zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in words],
            lifts=rule == lasting_turns.LIFTS,
            states=states,
            key=document.key,
            first=first,
            last=last,
            check=line_check(text),
            at=at,
            is_rule=rule == lasting_turns.RULE,
            source="" if is_said else document.source,
            category=category,
            **_find_names(text.removeprefix(f"{USER}: "), known),
        )
        if (
            named.paths
            or named.symbols
            or named.stems
            or named.programs
            or named.marks
            or named.lifts
        ):
            yield named


def _find_names(text: str, known: frozenset[str]) -> Mapping[str, list[str]]:
    return {
        "paths": names.list_paths(text),
        "symbols": names.list_symbols(text),
        "stems": names.list_stems(text),
        "programs": names.list_programs(text, known),
        "marks": names.list_marks(text),
    }


def _iter_statements(
    lines: Sequence[str], judged: Sequence[LastingLine]
) -> Iterator[tuple[int, int, float, int, bool]]:
    """Yield the places of the user's lines that state something, or take something back, with
    what they do about rules and whether they surely state something.
    """
    for line in judged:
        text = "".join(lines[line.line - 1 : line.line])
        if line_check(text) != line.check:
            continue
        is_rule = line.rule == lasting_turns.RULE
        states = is_rule or _estimate_likely(line.value, text) >= _STATES
        # A question is named too: what takes back an answer to it names its file, maybe.
        if text.startswith(f"{USER}: "):
            yield line.line, line.line, float(line.at), line.rule, states


def _estimate_likely(value: float, text: str) -> float:
    """Return the probability behind the worth of a turn, which falls with the turn's length."""
    tokens = estimate_tokens(text.removeprefix(f"{USER}: ")[:_LONGEST_CHARS])
    share = lasting_turns.QUESTION_SHARE if _TAG_QUESTION.fullmatch(text) else 1.0
    return float(value * max(_FEWEST_TOKENS, tokens) ** 0.5 / share)


def _iter_paragraphs(document: Document) -> Iterator[tuple[int, int]]:
    """Yield the first and last lines of the statements of a note: items of lists, paragraphs."""
    text = document.text
    lines = text.split("\n")
    start = text[: front_matter(text).end].count("\n")
    if len(text) - front_matter(text).end <= _WHOLE_CHARS:
        filled = [number for number in range(start, len(lines)) if lines[number].strip()]
        if filled:
            yield filled[0] + 1, filled[-1] + 1
        return
    first = 0
    for number in range(start, len(lines) + 1):
        line = lines[number].strip() if number < len(lines) else ""
        is_break = not line or line.startswith(("#", "- ", "* ", "```")) or line[:1].isdigit()
        if first and is_break:
            yield first, number
            first = 0
        if line and not line.startswith("#") and not first and len(line.split()) >= _FEWEST_WORDS:
            first = number + 1
