"""Lines of memories that state something and name files or symbols.

Of conversations the user's statements count, as `talk.lasting_turns` judges them; of notes and
records every paragraph. What is found names lines and holds no text.
"""

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from gieok.flow.action_notes import DAMAGED, VERSION, NamedLines, write_action_file
from gieok.memory import observation
from gieok.memory.talk import lasting_turns, turns
from gieok.memory.talk.lasting_turns import LastingLine
from gieok.model.memory import Document, Scope
from gieok.places.home import action_file
from gieok.ports.store import Store
from gieok.text import binding, said_names
from gieok.text.handles import line_check
from gieok.text.keywords import query_tokens
from gieok.text.markdown import front_matter
from gieok.text.turns import USER

#: To be raised whenever the same documents would give other lines.
_VERSION = 3
_AT_ONCE = 200
_MOST_LINES = 800
#: Kinds of marks of a path.
_WHOLE, _END = "whole", "end"
#: When and where a line was said.
_Order = tuple[float, str, int]
#: Least probability that a turn states something that lasts.
_STATES = 0.5
#: A shorter note is one statement, whatever its lines.
_WHOLE_CHARS = 500
_FEWEST_WORDS = 4
#: A word of more lines than this says nothing of a line's matter.
_FEW_LINES = 3


def update_named_lines(store: Store, home: Path, scope: Scope) -> None:
    """Bring the files of a scope in line with its documents.

    Documents are read once, until they change. The caller holds the lock of the scope's files. A
    kill at any moment leaves a file as it was, or behind: the next run goes on. Raises StoreError,
    OSError.
    """
    file = action_file(str(home), str(scope))
    kept_file = Path(file).with_suffix(".named")
    before = _load_kept_rows(kept_file)
    judged = _group_lines(lasting_turns.iter_judged_lines(store, scope, home))
    stamps = {
        key: _build_stamp(content_hash, judged.get(key, ()))
        for key, content_hash in store.hashes(scope).items()
        if (judged.get(key) if turns.is_said(key) else _is_note(key))
    }
    rows = {key: row for key, row in before.items() if stamps.get(key) == row[0]}
    changed = sorted(stamps.keys() - rows.keys())
    for start in range(0, len(changed), _AT_ONCE):
        for document in store.get(scope, changed[start : start + _AT_ONCE]):
            found = _iter_document_lines(document, judged.get(document.key, ()))
            rows[document.key] = (stamps[document.key], [one.build_kept_row() for one in found])
    lines = [_KeptLine(**row) for _, kept in rows.values() for row in kept]
    lines = sorted(_drop_lifted(lines), key=lambda one: (-one.at, one.key, one.first))
    now = [line.build_row() for line in lines[:_MOST_LINES]]
    _write_if_changed(file, [VERSION, now])
    _write_if_changed(str(kept_file), [_VERSION, rows])


def _write_if_changed(file: str, row: list[Any]) -> None:
    """Write a file whose content differs; one of nothing is removed."""
    path = Path(file)
    if not row[1]:
        path.unlink(missing_ok=True)
        return
    try:
        is_same = path.read_text(encoding="utf-8") == json.dumps(row)
    except (OSError, ValueError):
        is_same = False
    if not is_same:
        write_action_file(file, row)


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

    def build_kept_row(self) -> dict[str, Any]:
        """Return the line with its checksums as JSON."""
        own = {name: getattr(self, name) for name in _KeptLine.__slots__}
        return {**self.build_row(), **own}


def _drop_lifted(lines: Sequence[_KeptLine]) -> list[_KeptLine]:
    """Return the lines that state something, that no later one takes back, and that take back none.

    What takes back shares a file, or a word that few lines have, with what it takes back.
    """
    common = Counter(word for line in lines for word in set(line.words))
    rare = {word for word, count in common.items() if count <= _FEW_LINES}
    last_lift: dict[object, _Order] = {}
    first_stated: dict[object, _Order] = {}
    for line in lines:
        order = (line.at, line.key, line.first)
        for mark in _iter_marks(line, rare):
            if line.lifts:
                last_lift[mark] = max(order, last_lift.get(mark, order))
            else:
                first_stated[mark] = min(order, first_stated.get(mark, order))
    kept = []
    for line in lines:
        order = (line.at, line.key, line.first)
        shared = list(_iter_shared_marks(line, rare))
        is_bound = (
            any(first_stated[mark] < order for mark in shared if mark in first_stated)
            if line.lifts
            else any(last_lift[mark] > order for mark in shared if mark in last_lift)
        )
        if line.states and not is_bound:
            kept.append(line)
    return kept


def _iter_marks(line: _KeptLine, rare: set[int]) -> Iterator[object]:
    """Yield the words of a line that few lines have, and its paths, whole and by their ends."""
    yield from rare.intersection(line.words)
    for path in line.paths:
        yield _WHOLE, path
        for end in _iter_path_ends(path):
            yield _END, end


def _iter_shared_marks(line: _KeptLine, rare: set[int]) -> Iterator[object]:
    """Yield the marks of another line that is of the same matter: it names the same file, more of
    its folders or fewer, or has the same word.
    """
    yield from rare.intersection(line.words)
    for path in line.paths:
        yield _END, path
        for end in _iter_path_ends(path):
            yield _WHOLE, end


def _iter_path_ends(path: str) -> Iterator[str]:
    parts = path.split("/")
    return ("/".join(parts[place:]) for place in range(len(parts)) if parts[place])


def _is_note(key: str) -> bool:
    return not (turns.is_turns(key) or key.startswith(observation.PREFIX))


def _group_lines(lines: Iterable[LastingLine]) -> dict[str, list[LastingLine]]:
    by_key: dict[str, list[LastingLine]] = {}
    for line in lines:
        by_key.setdefault(line.key, []).append(line)
    return by_key


def _build_stamp(content_hash: str, judged: Sequence[LastingLine]) -> str:
    data = repr([tuple(line) for line in judged]).encode("utf-8", "surrogatepass")
    return f"{content_hash}:{zlib.crc32(data):08x}"


def _load_kept_rows(file: Path) -> dict[str, tuple[str, list[dict[str, Any]]]]:
    """Return the rows of a file by document; nothing of another version."""
    try:
        version, rows = json.loads(file.read_text(encoding="utf-8"))
        if version == _VERSION:
            return {key: (stamp, lines) for key, (stamp, lines) in rows.items()}
    except (OSError, *DAMAGED):
        pass
    return {}


def _iter_document_lines(document: Document, judged: Sequence[LastingLine]) -> Iterator[_KeptLine]:
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
        said = text.removeprefix(f"{USER}: ")
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
            paths=said_names.list_paths(said),
            symbols={
                symbol: said_names.fold_stem(symbol) for symbol in said_names.list_symbols(said)
            },
        )
        if named.paths or named.symbols or named.lifts:
            yield named


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
        states = is_rule or (line.likely >= _STATES and not _only_asks(text))
        # A question is named too: what takes back an answer to it names its file, maybe.
        if text.startswith(f"{USER}: "):
            yield line.line, line.line, float(line.at), line.rule, states


def _only_asks(line: str) -> bool:
    """Return whether a user's line only asks something, or asks for a piece of work."""
    sentences = [one for _, _, one in binding.place_own_sentences(line.removeprefix(f"{USER}: "))]
    return bool(sentences) and all(
        binding.asks_question(one) or binding.is_plain_request(one) for one in sentences
    )


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
