"""What a session decided and left open, as lines for a context that is or was compacted.

The lines are made of the answer of `gieok handoff`: quoted, escaped, within a budget, what binds
first. What the user said stands apart from what the agent asked and what ran; what a program
printed is not told at all. Standard library, because events of the hook import this module.
"""

import os
from collections import namedtuple

from gieok.hook.inject import wrap_in_tag
from gieok.processes import call
from gieok.text import handed
from gieok.text.inert import one_line
from gieok.text.tokens import estimate_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: Tokens of the lines.
BUDGET_TOKENS = 400
#: Share of the time that the digest may read and judge in: its answer must still come.
_READING_SHARE = 0.8
_QUOTE_CHARS, _ANSWERED_CHARS, _COMMAND_CHARS = 180, 90, 100
_MOST_FILES, _FEWEST_SHARING = 6, 2
HEADING = handed.COMPACTED
LOG_HEADING = handed.COMPACTED_LOG
#: Kinds of lines in the order in which they are shown: the worth of the newest line of the kind,
#: and how much less each older one is worth.
_KINDS = (
    ("rules", "rule", 100.0, 0.5),
    ("decided", "decided", 98.0, 1.5),
    ("open", "open", 96.0, 3.0),
    ("told", "told", 94.0, 2.0),
    ("asked", "asked by the agent, not answered", 95.0, 3.0),
    ("worked", "worked", 88.0, 6.0),
    ("failed", "failed", 84.0, 8.0),
    ("files", "changed", 90.0, 1.0),
)
#: Kinds that are the user's own words.
_STATED = frozenset(("rules", "decided", "open", "told"))


# A `namedtuple`, because importing `typing` is slow.
class DigestLines(namedtuple("DigestLines", ("stated", "logged"))):  # noqa: PYI024
    """Lines of a digest with their worth: what the user stated, and what else there was."""

    __slots__ = ()


def ask_digest(
    home: str,
    values: "Mapping[str, object]",
    folder: str,
    environment: "Mapping[str, str]",
    within_s: float,
) -> "tuple[bool, Mapping[str, object] | None]":
    """Return whether a daemon listens, and its answer to `gieok handoff`, None where none came.

    `values` are the parameters of `gieok handoff` (`build_digest_values`).
    """
    asked = call.DaemonCall(
        operation="handoff",
        values=dict(values),
        surface=call.HOOK,
        folder=folder,
        environment=dict(environment),
    )
    answer = call.ask_daemon(home, asked, writes=False, within_s=within_s)
    if answer is None:
        return call.is_daemon_listening(home), None
    return True, None if answer["failure"] else answer["data"]


def build_digest_values(
    agent: str, session: str, transcript: str, within_s: float
) -> "dict[str, object]":
    """Return the parameters of `gieok handoff` for a digest within a time."""
    within_ms = max(1, int(1000 * _READING_SHARE * within_s))
    return {
        "agent": agent,
        "session": session,
        "transcript": transcript,
        "within_ms": within_ms,
    }


def list_digest_lines(digest: "Mapping[str, object]", folder: str) -> DigestLines:
    """Return the lines of a digest that fit, in the order in which they are shown."""
    rows = [
        (newest - number * step, place, text)
        for place, (kind, label, newest, step) in enumerate(_KINDS)
        for number, text in enumerate(_list_kind_lines(digest, kind, label, folder))
    ]
    room = BUDGET_TOKENS - estimate_tokens(f"{HEADING}\n{LOG_HEADING}") - 8
    chosen: list[tuple[int, float, str]] = []
    for worth, place, text in sorted(rows, key=lambda row: -row[0]):
        cost = estimate_tokens(text) + 1
        if cost <= room:
            chosen.append((place, worth, text))
            room -= cost
    shown = sorted(chosen, key=lambda row: (row[0], -row[1]))
    is_stated = [_KINDS[place][0] in _STATED for place, _, _ in shown]
    lines = [(worth, text) for _, worth, text in shown]
    return DigestLines(
        [line for line, own in zip(lines, is_stated, strict=True) if own],
        [line for line, own in zip(lines, is_stated, strict=True) if not own],
    )


def list_quoted_texts(digest: "Mapping[str, object]") -> "Iterator[str]":
    """Yield the statements of a digest, on one line each."""
    for kind in _STATED:
        for quote in _list_digest_rows(digest, kind):
            yield " ".join(str(quote.get("text", "")).split())


def format_summary_hint(lines: DigestLines) -> str:
    """Return the text that a host adds to the instructions for its summary; '' for no lines."""
    shown = [
        text
        for heading, some in ((handed.KEEP, lines.stated), (handed.LOGGED, lines.logged))
        if some
        for text in (heading, *(line for _, line in some))
    ]
    return wrap_in_tag("memory-context", "\n".join(shown)) if shown else ""


def _list_kind_lines(
    digest: "Mapping[str, object]", kind: str, label: str, folder: str
) -> "Iterator[str]":
    """Yield the lines of a kind, the newest first."""
    if kind in ("worked", "failed"):
        for run in reversed(_list_digest_rows(digest, "commands")):
            if run.get("worked") is (kind == "worked"):
                yield f"- {label}: {one_line(str(run.get('command', '')), _COMMAND_CHARS)}"
    elif kind == "files":
        paths = [str(row.get("path", "")) for row in reversed(_list_digest_rows(digest, "files"))]
        shown = paths[:_MOST_FILES]
        root = folder if any(path.startswith(f"{folder}/") for path in shown) else _find_root(shown)
        names = [one_line(path.removeprefix(f"{root}/")) for path in shown]
        more = f", {len(paths) - len(shown)} more" if len(paths) > len(shown) else ""
        where = f" in {one_line(root)}" if root not in ("", folder) else ""
        if names:
            yield f"- {label}{where}: {', '.join(names)}{more}"
    else:
        is_agents = kind == "asked"  # the digest's own `asked` are the user's requests
        for quote in reversed(_list_digest_rows(digest, "open" if is_agents else kind)):
            if (quote.get("who") == "assistant") is is_agents:
                yield f"- {label}: {_format_quote(quote)}"


def _find_root(paths: "Sequence[str]") -> str:
    """Return the folder that absolute paths share; '' for none."""
    if len(paths) < _FEWEST_SHARING or not all(map(os.path.isabs, paths)):
        return ""
    return os.path.commonpath(paths).rstrip("/")


def _list_digest_rows(
    digest: "Mapping[str, object]", name: str
) -> "Sequence[Mapping[str, object]]":
    rows = digest.get(name)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list | tuple) else []


def _format_quote(quote: "Mapping[str, object]") -> str:
    text = one_line(str(quote.get("text", "")), _QUOTE_CHARS)
    answers = quote.get("answers")
    return f'{text} (to: "{one_line(str(answers), _ANSWERED_CHARS)}")' if answers else text
