"""The text that a session begins with, gathered from its sources at the session's start.

No text is prepared ahead, so that none is out of date.

Active memory is a file already (the observer writes it), the end of the last session stands in the
journal, titles and turns in the index: reads of a few milliseconds, which work without a daemon.
Only the choice of turns that state something lasting needs vectors: it is made ahead
(`observe.lasting`), and kept as names of lines.
"""

import json
import os
import time
from collections import namedtuple

from gieok.hook import inject, matches, rules, start
from gieok.hook.refusals import AT_START, PromptRefusals
from gieok.hook.start import SaidTurn, StartPart
from gieok.hook.validity import LaterStatement, Standing, say_later
from gieok.places.home import build_active_memory_path, lasting_file
from gieok.places.scope import SEEDS, USER_SCOPE
from gieok.ranking.age import compute_faded_value
from gieok.storage.index.sqlite.index_reader import Late, Mismatch, Missing
from gieok.storage.journal.sqlite.journal_reader import last_session
from gieok.storage.sqlite import driver
from gieok.surfaces.hook import trail
from gieok.surfaces.hook.git_commits import committed
from gieok.text import active
from gieok.text.handles import build_handle, line_check
from gieok.text.inert import one_line
from gieok.text.turns import find_answered_question, is_users

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gieok.hook.rules import BindingRule
    from gieok.storage.index.sqlite.index_reader import IndexReader

    _DatedLines = Sequence[tuple[list[tuple[str, active.ActiveLine]], list[active.ActiveLine]]]

_LARGEST_BYTES = 200_000
_MOST_TITLES = 200
_MOST_COMMITS = 8
#: More lines than fit into the text: each is looked up.
_MOST_LASTING = 150
_ROW_FIELDS = 7
#: A longer line is likely a piece of a longer turn.
_PIECE_CHARS = 600
#: Kind of the documents that come from files; documents of other kinds have no titles.
_FILES = "memory"
#: Order of titles by category: the most binding category first.
_ORDER = ("constraint", "decision", "preference", "runbook", "tech-debt", "session-summary", "")


class SessionPlace:
    """Where a session begins.

    Home, working folder, the scopes that it reads (its project's first), session id, agent.
    """

    __slots__ = (
        "agent",
        "configured_active",
        "deadline",
        "folder",
        "home",
        "journal",
        "own_scope",
        "project",
        "scopes",
        "search",
        "session",
    )

    def __init__(
        self,
        home: str,
        folder: str,
        project: str,
        scopes: "Sequence[str]",
        own_scope: str,
        session: str,
        deadline: float,
        configured_active: str,
        agent: str,
        journal: str,
        search: str,
    ) -> None:
        self.home, self.folder, self.project, self.scopes = home, folder, project, scopes
        self.own_scope, self.session, self.deadline = own_scope, session, deadline
        #: Path of the journal's file; '' where the journal is on a server, which the hook has no
        #: time for.
        self.configured_active, self.agent, self.journal = configured_active, agent, journal
        self.search = search  # what the agent looks something up with


def build_start_text(
    place: SessionPlace,
    reader: "Callable[[], IndexReader]",
    whose: "Callable[[str], str]",
    budget_tokens: int,
    digest: "Mapping[str, object] | None" = None,
) -> tuple[str, int]:
    """Return the text for a session's start, and how many lines it shows; ('', 0) for none.

    `reader` opens the index; without an index there are no titles. `whose` returns the owner of a
    scope in words. `digest` is what the session itself said before it was compacted.
    """
    now = time.time()
    today = time.strftime("%Y-%m-%d", time.localtime(now))
    index = _open_start_index(place, reader)
    refused = PromptRefusals(place.home, AT_START)
    last, shown = _recall_last_session(place, refused)
    own = _list_digest_parts(place, digest, budget_tokens)
    binding = _read_binding_rules(place, index) if index else []
    if digest:
        from gieok.surfaces.hook import compaction

        quoted = frozenset(compaction.list_quoted_texts(digest))
        shown |= quoted
        binding = [rule for rule in binding if " ".join(rule.text.split()) not in quoted]
    ruled = [(-float(n), rule.shown) for n, rule in enumerate(binding)]
    parts = [*own, StartPart(active.RULES, ruled, start.RULES)]
    dated = [start.split_due(_read_active_lines(place, scope), today) for scope in place.scopes]
    ahead = [line for near, _ in dated for _, line in near]
    lasting = _gather_lasting_turns(place, index, binding, shown, now, ahead)
    told = [line for part in (*parts, last) for _, line in part.lines]
    active_parts, due = _list_active_parts(place, dated, lasting, told, budget_tokens, today)
    parts += active_parts
    parts.append(last if last.lines else _list_user_commits(place))
    due_lines = [(-float(n), line) for n, (_, line) in enumerate(sorted(due))]
    parts.append(StartPart(active.DUE, due_lines, start.DUE))
    parts += lasting.parts[1:]
    if index and place.own_scope.startswith("project:"):
        try:
            parts.append(_list_record_titles(place, index, refused))
        except (Late, ValueError, *driver.ERRORS) as error:  # type: ignore[misc]
            _log_start_error(place, error)
    parts += lasting.parts[:1]
    for part in parts:
        part.lines = [row for row in part.lines if not refused.refuses_line(row[1])]
    return start.render_session_start(
        parts,
        " and ".join(dict.fromkeys(map(whose, place.scopes))),
        budget_tokens,
        place.search,
    )


# A `namedtuple`, because importing `typing` is slow.
class _LastingTurns(namedtuple("_LastingTurns", ("parts", "due", "texts"))):  # noqa: PYI024
    """What the user said that lasts: a part for each scope, what of it is due, and what is told.

    `due` are pairs of a day and a line; `texts` are the turns that are told elsewhere.
    """

    __slots__ = ()


def _gather_lasting_turns(
    place: SessionPlace,
    index: "IndexReader | None",
    binding: "list[BindingRule]",
    shown: "frozenset[str]",
    now: float,
    ahead: "Sequence[active.ActiveLine]",
) -> _LastingTurns:
    """Return the lasting turns of the scopes; `ahead` are lines of memory that are due."""
    today = time.strftime("%Y-%m-%d", time.localtime(now))
    # Where a turn says more than a rule, the turn is shown if it is worth it; the rule is shown
    # once.
    bound = shown | {
        " ".join(rule.turn.split()) for rule in binding if start.is_most_of(rule.text, rule.turn)
    }
    lasting = _LastingTurns([], [], {*shown, *(rule.text for rule in binding)})
    if index is None:
        return lasting
    for scope in place.scopes:
        turns = _list_lasting_turns(place, scope, index, now, bound)
        near, others = start.split_due_turns(turns, today)
        rest = [
            turn
            for turn in others
            if turn.text not in bound and not start.is_said_in(turn.text, ahead)
        ]
        lasting.due.extend(
            (day, f"{turn.line} ({start.due_words(day, today)})") for day, turn in near
        )
        lasting.texts.update(turn.text for _, turn in near)
        share = start.LASTING if scope == place.own_scope else start.LASTING_USER
        heading = f"What the user said, newest first ({one_line(scope)})"
        lasting.parts.append(StartPart(heading, start.turn_lines(rest), share))
    return lasting


def _list_active_parts(
    place: SessionPlace,
    dated: "_DatedLines",
    lasting: _LastingTurns,
    told: "list[str]",
    budget_tokens: int,
    today: str,
) -> "tuple[list[StartPart], list[tuple[str, str]]]":
    """Return the active memory of each scope without what is told beside it, and all that is due.

    `dated` are the lines of each scope that are due, with their days, and the others; `told` are
    lines of other parts.
    """
    # Rules are extracted by copying sentences: a rule that the text shows as a turn need not be
    # shown twice.
    beside = [*told, *(line for _, line in lasting.due)]
    rows = [line for _, rest in dated for line in rest]
    shown_before = start.told_beside(lasting.parts, rows, beside, lasting.texts, budget_tokens)
    parts: list[StartPart] = []
    due = list(lasting.due)
    # The end of the last session may quote what is due, but says no date.
    due_before = start.ShownBefore([line for _, line in lasting.due], ())
    for number, (scope, (ahead, rest)) in enumerate(zip(place.scopes, dated, strict=True)):
        due += [
            (day, start.shown_line(line.text, start.due_words(day, today)))
            for day, line in ahead
            if not due_before.holds(line)
        ]
        share = (start.ACTIVE if lasting.parts else start.ACTIVE_ALONE) / (number + 1)
        lines = start.active_lines([line for line in rest if not shown_before.holds(line)], today)
        parts.append(StartPart(f"Active memory of {_label_start_scope(scope)}", lines, share))
    return parts, due


def _list_digest_parts(
    place: SessionPlace, digest: "Mapping[str, object] | None", budget_tokens: int
) -> list[StartPart]:
    """Return what a session said and did before it was compacted; none for one that was not."""
    if not digest:
        return []
    from gieok.surfaces.hook import compaction

    lines = compaction.list_digest_lines(digest, place.folder)
    share = min(1.0, compaction.BUDGET_TOKENS / budget_tokens)
    return [
        StartPart(compaction.HEADING, lines.stated, share),
        StartPart(compaction.LOG_HEADING, lines.logged, share),
    ]


def _open_start_index(
    place: SessionPlace, reader: "Callable[[], IndexReader]"
) -> "IndexReader | None":
    try:
        return reader()
    except Missing:
        return None
    except (Late, OSError, ValueError, *driver.ERRORS, Mismatch) as error:  # type: ignore[misc]
        _log_start_error(place, error)
        return None


def _read_binding_rules(place: SessionPlace, index: "IndexReader") -> "list[BindingRule]":
    """Return the binding rules of the session's scopes, those of the project first."""
    try:
        return rules.read_binding_rules(place.home, place.scopes, index.lines)
    except (Late, ValueError, TypeError, *driver.ERRORS) as error:  # type: ignore[misc]
        _log_start_error(place, error)
        return []


def _list_lasting_turns(
    place: SessionPlace, scope: str, index: "IndexReader", now: float, shown: "frozenset[str]"
) -> "list[SaidTurn]":
    """Return the turns of users that state something lasting, newest first.

    Turns in `shown` are left out, because the text shows them anyway, unless they name a day: what
    is due is said with its date.
    """
    try:
        with open(lasting_file(place.home, scope), encoding="utf-8") as stream:
            rows = json.load(stream)
        rows.sort(key=lambda row: -compute_faded_value(row[0], row[1], now))
        own = f"/{place.session}#"  # what the session that goes on has before it anyway
        # Only some rows have a day that the turn names; those of an early release no checksum.
        rows = [[*row, ""][:_ROW_FIELDS] for row in rows]
        rows = [row for row in rows if len(row) == _ROW_FIELDS and own not in row[3]]
        return _read_named_turns(place, rows[:_MOST_LASTING], index, now, shown)
    except FileNotFoundError:
        return []
    except (Late, OSError, ValueError, TypeError, *driver.ERRORS) as error:  # type: ignore[misc]
        _log_start_error(place, error)
        return []


def _read_named_turns(
    place: SessionPlace,
    rows: "Sequence[tuple[float, float, str, str, int, int, str]]",
    index: "IndexReader",
    now: float,
    shown: "frozenset[str]",
) -> "list[SaidTurn]":
    """Return the turns that `rows` name, each text once; of those in `shown`, what names a day.

    Of the pieces of a long turn only one is returned, because one paste has a hundred. What was
    said later on the subject of a turn is returned with it.
    """
    turns: dict[str, SaidTurn] = {}
    long: set[str] = set()
    documents: dict[tuple[str, str], list[str]] = {}
    standing = Standing(place.home, now)
    for value, at, whose, key, number, check, day_ahead in rows:
        if (whose, key) not in documents:
            try:
                documents[whose, key] = index.lines(whose, key)
            except Late as error:  # the best are there already
                _log_start_error(place, error)
                break
        lines = documents[whose, key]
        line = lines[number - 1] if 0 < number <= len(lines) else ""
        # A line other than the judged one may be anybody's, and may belong to a project that is not
        # read here.
        text = line.partition(": ")[2] if is_users(line) and line_check(line) == check else ""
        session = key.partition("#")[0]
        if (
            not text
            or text in turns
            or (text in shown and not day_ahead)
            or (len(text) > _PIECE_CHARS and session in long)
        ):
            continue
        if standing.ended(whose, key, number, line) is not None:  # since what lasts was judged
            continue
        question = find_answered_question(lines, number)
        if not start.is_worth_showing(value, text, question):
            continue
        if len(text) > _PIECE_CHARS:
            long.add(session)
        day = time.strftime("%Y-%m-%d", time.localtime(at))
        handle = build_handle(whose, key, number)
        turns[text] = SaidTurn(compute_faded_value(value, at, now), at, day, text, handle, question)
        turns[text].day_ahead = day_ahead
        later = standing.find_later_statement(whose, key, number, line)
        if later is not None:
            _add_later_turn(place, turns, turns[text], later, index)
    return sorted(turns.values(), key=lambda turn: -turn.at)


def _add_later_turn(
    place: SessionPlace,
    turns: "dict[str, SaidTurn]",
    earlier: SaidTurn,
    later: LaterStatement,
    index: "IndexReader",
) -> None:
    """Add what was said later on the subject of a turn, as worth showing as that turn.

    Nothing is added where the line is no user's, or says something else by now.
    """
    try:
        line = index.line(later.scope, later.key, later.line)
    except Late as error:
        _log_start_error(place, error)
        return
    text = line.partition(": ")[2]
    if not (is_users(line) and text and later.still_says(line)):
        return
    day = time.strftime("%Y-%m-%d", time.localtime(later.at))
    turn = turns.setdefault(text, SaidTurn(earlier.value, later.at, day, text, later.handle))
    turn.value = max(turn.value, earlier.value)
    turn.status = say_later(turn.status)
    earlier.status = later.status


def _label_start_scope(scope: str) -> str:
    return (
        f"this project ({scope})"
        if scope.startswith("project:")
        else f"the user, everywhere ({scope})"
    )


def _read_active_lines(place: SessionPlace, scope: str) -> "list[active.ActiveLine]":
    file = build_active_memory_path(place.home, scope)
    if place.configured_active and scope == USER_SCOPE:
        file = os.path.join(place.folder, os.path.expanduser(place.configured_active))
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            return list(active.iter_active_lines(stream.read(_LARGEST_BYTES)))
    except FileNotFoundError:
        return []
    except OSError as error:
        _log_start_error(place, error)
        return []


def _log_start_error(place: SessionPlace, error: Exception) -> None:
    trail.log_hook_line(place.home, f"session-start: {type(error).__name__}: {error}")


def _recall_last_session(
    place: SessionPlace, refused: PromptRefusals
) -> "tuple[StartPart, frozenset[str]]":
    """Return the end of the last substantial session here, and the user's statements in it.

    A line quotes the beginning of a turn, so that what is refused is left out by its whole words.
    """
    try:
        session = last_session(
            place.journal,
            place.own_scope,
            place.session,
            place.deadline,
            is_wanted=start.is_about_something,
        )
    except (OSError, *driver.ERRORS) as error:  # type: ignore[misc]
        _log_start_error(place, error)
        session = None
    if session is None:
        return StartPart("", (), 0), frozenset()
    day = time.strftime("%Y-%m-%d", time.localtime(session.turns[-1][2] / 1000))
    spoken = [(role, text) for role, text, _ in session.turns]
    turns = start.last_turns(spoken)
    lines = [
        line
        for line, (_, text, _) in zip(start.last_lines(spoken), turns, strict=True)
        if not refused.refuses_memory("", text)
    ]
    part = StartPart(f"End of the last session here ({day}, {session.agent})", lines, start.LAST)
    statements = [
        words for role, text, question in turns if role == "user" for words in (text, question)
    ]
    return part, frozenset(" ".join(words.split()) for words in statements if words)


def _list_user_commits(place: SessionPlace) -> StartPart:
    """Return the user's recent commits here, where there was no session before."""
    if not place.own_scope.startswith("project:"):
        return StartPart("", (), 0)
    try:
        rows = committed(place.folder, _MOST_COMMITS)
    except (OSError, ValueError) as error:
        _log_start_error(place, error)
        rows = []
    lines = [
        (-float(n), start.shown_line(f"{day} {title}", "commit"))
        for n, (day, title) in enumerate(rows)
    ]
    return StartPart(active.COMMITTED, lines, start.LAST)


def _list_record_titles(
    place: SessionPlace, index: "IndexReader", refused: PromptRefusals
) -> StartPart:
    """Return the titles of a project's records and of other agents' notes, most binding first.

    A line names a record by its file, so that what is refused is left out here, where its key is.
    """
    newest = index.newest(place.own_scope, _MOST_TITLES, _FILES)
    rows = [
        (
            matches.find_record_category(json.loads(metadata), key),
            title or key,
            matches.read_provenance_source(provenance) or key,
        )
        for key, title, metadata, provenance in newest
        if not key.startswith(f"{SEEDS}/{place.agent}/")  # it has its own notes before it
        and not refused.refuses_memory(build_handle(place.own_scope, key), title or key)
    ]
    rows = [row for row in rows if not os.path.isabs(row[2]) or os.path.exists(row[2])]
    rows.sort(key=lambda row: _ORDER.index(row[0]) if row[0] in _ORDER else len(_ORDER))
    lines = [
        (
            -float(number),
            inject.index_line(category, title, matches.shown_path(source, place.folder)),
        )
        for number, (category, title, source) in enumerate(rows)
    ]
    return StartPart(
        f"Records of this project ({index.count(place.own_scope, _FILES)} memories in all)",
        lines,
        start.RECORDS,
    )
