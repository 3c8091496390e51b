"""Replaces secrets in text before it is stored or sent anywhere.

Rules are data: tables (`tokens`, `structures`, `assigned`, `prose`, `personal`) and the user's own
rules (`own`); before them goes what somebody marked as private (`text.private_tags`). There are two
dialects: `redact` for prose, settings and transcripts; `redact_source` for source code, where only
quoted values, key blocks and known shapes are secrets and all else stays unchanged. The number of
lines never changes, so line ranges stay exact.
"""

import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from gieok.text.late_pattern import defer_pattern
from gieok.text.private_tags import CUT, cut_private, cut_private_source
from gieok.text.redact import user_rules
from gieok.text.redact.assignments import ASSIGNED, ASSIGNED_IN_SOURCE
from gieok.text.redact.calls import CALLS
from gieok.text.redact.commands import COMMANDS, FLAGGED
from gieok.text.redact.devices import DEVICES
from gieok.text.redact.documents import DOCUMENTS
from gieok.text.redact.near import NEAR
from gieok.text.redact.personal import PERSONAL
from gieok.text.redact.prose import PROSE
from gieok.text.redact.rule import Rule
from gieok.text.redact.structures import LONG_STRUCTURES, STRUCTURES
from gieok.text.redact.table import Table
from gieok.text.redact.tables import TABLES
from gieok.text.redact.tokens import TOKENS
from gieok.text.secrets.placeholder import PLACEHOLDER

RULES: tuple[Rule, ...] = (
    *STRUCTURES,
    *TOKENS,
    *PERSONAL,
    *DOCUMENTS,
    *COMMANDS,
    *DEVICES,
    *CALLS,
    *ASSIGNED,
    *TABLES,
    *PROSE,
    *NEAR,
)
SOURCE_RULES: tuple[Rule, ...] = (*(rule for rule in RULES if rule.in_source), *ASSIGNED_IN_SOURCE)
#: Rules whose secrets are long words.
_WORDS = frozenset((*TOKENS, *LONG_STRUCTURES))
#: A replacement may expose another secret; a few passes suffice.
_MOST_PASSES = 6
_LEAST_REST = 4
#: First syllables of particles and endings that stand behind a value.
_ENDINGS = "은는이가을를로으에와과랑도만의라입인야요임다고였예했하한할해됐되된될래거번쯤까부처보및등씨님라며면"
_HANGUL = defer_pattern(rf"(?<=[A-Za-z0-9])(?![{_ENDINGS}])[가-힣]{{1,8}}(?![가-힣])")
#: Characters from which a secret is looked for once more in its text.
_LEAST_REPEATED = 6


def redact(text: str) -> str:
    """Return `text` with each secret replaced by `[redacted:KIND]`; line breaks inside a secret are
    kept.
    """
    return _replace_secrets(text, None)


def redact_source(text: str) -> str:
    """Return source code with each secret replaced; all but literals and known shapes stays byte
    for byte.
    """
    return _replace_secrets(text, None, is_source=True)


def redact_counted(text: str, *, source: bool = False) -> tuple[str, dict[str, int]]:
    """Return the text without secrets, and how many of each kind there were."""
    counts: Counter[str] = Counter()
    clean = _replace_secrets(text, counts, is_source=source)
    return clean, dict(sorted(counts.items()))


@cache
def _load_table(*, is_source: bool) -> Table:
    """Return the table of a dialect; built when the first text is redacted, for it takes time."""
    if is_source:
        return Table(SOURCE_RULES, _WORDS)
    return Table(RULES, _WORDS, frozenset(FLAGGED))


def _replace_secrets(text: str, counts: Counter[str] | None, *, is_source: bool = False) -> str:
    table = _load_table(is_source=is_source)
    bare = cut_private_source(text) if is_source else cut_private(text)
    if counts is not None and bare != text:
        counts["private"] += bare.count(CUT) - text.count(CUT)
    text = bare
    values: dict[str, str] = {}
    for _ in range(_MOST_PASSES):
        spans = list(_split_at_placeholders(text, table.found(text, user_rules.list_own_rules())))
        if not spans:
            break
        parts: list[str] = []
        at = 0
        for start, end, name in spans:
            end = _end_of_hangul(text, end)  # noqa: PLW2901
            values.setdefault(text[start:end].strip(), name)
            parts += (text[at:start], f"[redacted:{name}]", "\n" * text.count("\n", start, end))
            at = end
        text = "".join((*parts, text[at:]))
        if counts is not None:
            counts.update(name for _, _, name in spans)
    return text if is_source else _without_repeats(text, values, counts)


def _end_of_hangul(text: str, end: int) -> int:
    """Return where a value ends that goes on in Hangul (`Ehddod1234바다`): never half of it is cut.

    What begins as a particle or an ending does is a word of the sentence, not of the value.
    """
    tail = _HANGUL.match(text, end)
    return tail.end() if tail else end


def _without_repeats(text: str, values: Mapping[str, str], counts: Counter[str] | None) -> str:
    """Return a text without the other places of values that were found to be secret: there no noun
    may stand beside them.

    A short value, or one that may be a plain word, stays: it can mean something else there.
    """
    for value, name in values.items():
        if len(value) < _LEAST_REPEATED or value not in text or not _is_telling(value):
            continue
        whole = rf"(?<![A-Za-z0-9_]){re.escape(value)}(?![A-Za-z0-9_])"
        text, number = re.subn(whole, lambda _, name=name: f"[redacted:{name}]", text)  # type: ignore[misc]
        if counts is not None and number:
            counts[name] += number
    return text


def _is_telling(value: str) -> bool:
    """Say whether a value is no word of a language: letters with digits or signs between them,
    without blanks.
    """
    kinds = (
        any(map(str.isalpha, value)),
        any(map(str.isdigit, value)),
        any(not c.isalnum() for c in value),
    )
    return sum(kinds) > 1 and not any(map(str.isspace, value))


def _split_at_placeholders(
    text: str, spans: Sequence[tuple[int, int, str]]
) -> Iterator[tuple[int, int, str]]:
    """Yield the spans without the placeholders inside them: a replaced secret is never replaced
    again.
    """
    placeholders = (
        deque(match.span() for match in PLACEHOLDER.finditer(text))
        if "[redacted:" in text
        else deque()
    )
    for start, end, name in spans:
        at = start
        while placeholders and placeholders[0][0] < end:
            first, last = placeholders.popleft()
            if last > start:
                if _is_left(text[at:first]):
                    yield at, first, name
                at = max(at, last)
        if at == start or _is_left(text[at:end]):
            yield at, end, name


def _is_left(rest: str) -> bool:
    return sum(map(str.isalnum, rest)) >= _LEAST_REST
