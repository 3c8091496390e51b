"""Result of a search: hits, and how a person reads them."""

from datetime import date as day
from typing import Annotated, NamedTuple

from gieok.commands.absence import absence, gap_lines
from gieok.commands.command import (
    STATUSES,
    TRUST_HINT,
    Style,
    printable,
    said_on,
    tier_words,
    waiting_words,
)
from gieok.commands.encode import OMITTED, Hidden, Omitted, Rounded, Score
from gieok.commands.memory.behind import Behind
from gieok.commands.memory.score_words import format_parts, format_signals
from gieok.hook.validity import SAID_EARLIER, SAID_LATER
from gieok.model.memory import Scope, Tier
from gieok.ranking.likelihood import HIGH, LOW, MEDIUM
from gieok.ranking.recall import RankedHits
from gieok.text.messages import Words

#: First hits that decide whether one of them leads, however many are asked for: as many as a search
#: shows where nothing is said of it.
JUDGED = 6
#: Day by which hits without one are sorted: behind all others.
_NO_DAY = day.max
#: Said of a hit of a time that is no memory of a day.
UNDATED = Words("a file changed then; it names no day")


class SearchHit(NamedTuple):
    """Lines that answer a question; `heading` is the heading above them in the file."""

    handle: str
    path: str
    start_line: int
    end_line: int
    score: Score
    snippet: str
    source: str
    citation: str
    scope: Scope
    heading: str
    date: day | None
    #: Status of the hit. `stands`: nothing is known to have ended it; `current`: it took the place
    #: of another statement; `replaced`, `ended`, `corrected` or `done`.
    status: str
    #: Tier of the memory: `hot`, or archived: `warm`, `cold`.
    tier: Tier
    #: The memory that replaced the hit, and on which day; only for a hit that is `replaced`.
    replaced_by: Annotated[str | None, OMITTED]
    replaced_on: Annotated[day | None, OMITTED]
    #: How likely the hit answers: high, medium, low; a hit below high is unsure. It is high only
    #: where the hit shares a word with the question, or leads (`judge_hit_levels`).
    level: str
    #: What made the score, where the caller asked for it.
    signals: Annotated[dict[str, float] | None, Rounded(4), OMITTED]
    #: What each part adds to the log-odds of the score, which is 1 / (1 + e to the minus of their
    #: sum).
    parts: Annotated[dict[str, float] | None, Rounded(4), OMITTED] = None
    #: Absolute path of the file on disk; left out for a hit without a file of its own.
    file: Omitted[str] = None
    #: Number of the line in the file that answers best.
    line: Omitted[int] = None
    #: What became of single sentences of the hit, where the rest stands.
    ended_parts: Omitted[str] = None
    ended_words: Hidden[tuple[Words, ...]] = ()
    #: The statement that it was compared with: what spoke for a change, and by which words their
    #: subjects differ.
    compared: Omitted[str] = None
    compared_words: Hidden[tuple[Words, ...]] = ()
    #: What was said later on the subject of the hit, and on which day: the hit may hold or not.
    said_later: Omitted[str] = None
    said_later_on: Omitted[day] = None
    #: The hit stands before an earlier one on the same subject.
    is_later: Omitted[bool] = None
    #: Text of that line, where the hit was found by meaning.
    line_text: Omitted[str] = None
    #: Whether the file on disk still has what is redacted in the snippet.
    has_more_in_file: Hidden[bool] = False
    #: Days on which the text was said, in order; left out for a single day.
    said_on: Omitted[tuple[day, ...]] = None
    #: Handles of memories elsewhere that say the same, and have no hit of their own here.
    same_as: Omitted[tuple[str, ...]] = None


class Days(NamedTuple):
    """Days that the question names, and the words that name them."""

    from_: day
    to: day
    words: str


class SearchResult(NamedTuple):
    """Lines that answer, best first."""

    results: tuple[SearchHit, ...]
    ranked: Hidden[RankedHits]
    degraded: str | None
    days: Days | None
    #: Records of the project that are left out because nobody trusts them yet.
    waiting: int = 0
    behind: Behind | None = None
    query: Hidden[str] = ""
    #: Nearest hits where nothing answers surely enough; left out where there are results, and where
    #: nothing is near.
    nearest: Omitted[SearchHit] = None
    #: Words that look like a time but were not read as a time: only some expressions are
    #: understood. Left out where there are none.
    not_times: Omitted[tuple[str, ...]] = None
    #: Places that were not searched, where no hit is likely to answer. Left out where every place
    #: was searched.
    not_looked_at: Omitted[tuple[Words, ...]] = None
    #: Whether the caller named the least score of a hit, and so what counts as found.
    has_own_threshold: Hidden[bool] = False

    @property
    def is_timeline(self) -> bool:
        """Return whether the question asked for a time; the hits are then of its days.

        The most important hit comes first.
        """
        return self.ranked.is_timeline

    @property
    def found(self) -> bool:
        """True where a hit counts as an answer.

        It is likely, is of a time that was asked for, or reaches the score that the caller named.
        """
        is_any_enough = self.is_timeline or self.has_own_threshold
        return bool(self.results) if is_any_enough else has_likely_hit(self.results)


def has_likely_hit(hits: tuple[SearchHit, ...]) -> bool:
    """Return whether any hit is likely enough to answer; the others are only nearest."""
    return any(hit.level != LOW for hit in hits)


def judge_hit_levels(hits: tuple[SearchHit, ...], question: str) -> tuple[SearchHit, ...]:
    """Return hits of which none is `high` by its nearness in meaning alone.

    Something is nearest to every question. So a hit without a word of the question is `high` only
    where it leads: where each other one of the first hits is `low`. The caller has at least
    `JUDGED` hits, where there are as many, before any are cut off.
    """
    from gieok.text.marks import count_question_words  # few searches find anything that is high

    is_leading = sum(hit.level != LOW for hit in hits[:JUDGED]) == 1
    return tuple(
        hit._replace(level=MEDIUM)
        if hit.level == HIGH
        and not is_leading
        and not count_question_words(f"{hit.heading}\n{hit.snippet}", question)
        else hit
        for hit in hits
    )


def sort_for_reading(result: SearchResult) -> tuple[SearchHit, ...]:
    """Return the hits as a person reads them: those of a time by day, others best first.

    A file that names no day is among those of a time because it was changed then: it comes last.
    """
    if not result.is_timeline:
        return result.results
    return tuple(sorted(result.results, key=lambda hit: hit.date or _NO_DAY))


def lower_doubted_level(level: str, *, is_doubted: bool) -> str:
    """Return the level of a hit as it is told: what is doubted for another reason is not sure."""
    return MEDIUM if is_doubted and level == HIGH else level


def describe_sureness(level: str) -> Words:
    """Return the word for how likely a hit answers."""
    return Words("sure") if level == HIGH else Words("unsure")


def introduce_unsure_hits(result: SearchResult) -> Words | None:
    """Return the sentence above hits of which none is likely to answer; None above other hits."""
    shown = result.results or ((result.nearest,) if result.nearest else ())
    if result.is_timeline or not shown or has_likely_hit(result.results):
        return None
    return introduce_nearest(len(shown))


def introduce_nearest(count: int) -> Words:
    """Return the sentence above answers of which none is likely, with their number."""
    return Words.of(
        "Nothing surely answers that. The nearest is:",
        plural="Nothing surely answers that. The nearest are:",
        count=count,
    )


def count_likely_hits(result: SearchResult) -> int:
    """Return how many hits come before those at the end that hardly answer.

    These are all hits of a time, and all where none is likely: what stands above them says so.
    """
    levels = [hit.level for hit in result.results]
    if result.is_timeline or not has_likely_hit(result.results):
        return len(levels)
    return next(place for place in range(len(levels), 0, -1) if levels[place - 1] != LOW)


def introduce_unlikely(count: int) -> Words:
    """Return the line above the last hits, which hardly answer, with their number."""
    return Words.of(
        "{count} more that hardly answers",
        plural="{count} more that hardly answer",
        count=count,
    )


#: Said of a hit with `has_more_in_file`.
_IN_FILE_ALONE = Words("what is redacted here stands in the file itself")
_NOTHING = Words("Nothing found. `--min-score 0` shows lines that are less sure.")
#: A timeline lists everything of its days: no score leaves a line out.
_NOTHING_THEN = Words("Nothing found.")


def render_search(result: SearchResult, style: Style) -> str:
    """Show each hit as score, citation and snippet; a timeline is grouped by day."""
    introduction = introduce_unsure_hits(result)
    blocks = [introduction.say(style.lang)] if introduction else []
    shown = None
    likely = count_likely_hits(result)
    for place, hit in enumerate(sort_for_reading(result)):
        if place == likely:
            unlikely = introduce_unlikely(len(result.results) - likely).say(style.lang)
            blocks.append(style.dim(f"{unlikely}:"))
        if result.is_timeline and hit.date != shown:
            shown = hit.date
            blocks.append(style.bold(str(shown) if shown else UNDATED.say(style.lang)))
        blocks.append(_format_hit_block(hit, result, style))
    if result.nearest:
        blocks.append(_format_hit_block(result.nearest, result, style))
    if blocks:
        blocks[-1] = "\n".join([blocks[-1], *gap_lines(result.not_looked_at, style)])
    else:
        blocks.append(
            absence(_NOTHING_THEN if result.is_timeline else _NOTHING, result.not_looked_at, style)
        )
    if result.not_times:
        blocks.append(style.dim(printable(not_taken_as_times(result.not_times).say(style.lang))))
    if result.degraded:
        blocks.append(
            style.dim(
                style.say("note: ")
                + style.told(result.degraded)
                + _how_to_go_on(result.degraded, style)
            )
        )
    if result.waiting:
        blocks.append(style.dim(f"{waiting_words(result.waiting).say(style.lang)}: {TRUST_HINT}"))
    if result.behind:
        blocks.append(style.dim(result.behind.words().say(style.lang)))
    return "\n\n".join(blocks)


def not_taken_as_times(words: tuple[str, ...]) -> Words:
    """Return the notice that words of a question look like a time but were not read as a time."""
    named = ", ".join(f"“{word}”" for word in words)
    return Words.of(
        "note: {named} was not taken as a time, because not all of it is understood.", named=named
    )


def _format_hit_block(hit: SearchHit, result: SearchResult, style: Style) -> str:
    """Return a hit as text: score, place, snippet, and the parts of the score if asked for."""
    heading = f"  {style.dim(printable(hit.heading))}" if hit.heading else ""
    status_words = [
        *([_format_hit_status(hit, style)] if hit.status != "stands" else []),
        *_list_subject_words(hit, style),
        *tier_words(hit.tier, style),
    ]
    dated = [] if result.is_timeline or hit.date is None else [str(hit.date)]
    dated = [said_on(hit.said_on).say(style.lang)] if hit.said_on else dated
    facts = ", ".join([*dated, hit.handle, *status_words])
    unsure = ""
    if not result.is_timeline and hit.level != HIGH:
        unsure = style.dim(f"  {describe_sureness(hit.level).say(style.lang)}")
    lines = [
        (
            f"{hit.score:.2f}{unsure}  "
            f"{style.bold(printable(_format_hit_place(hit, style)))}{heading}  "
            f"{style.dim(facts)}"
        )
    ]
    lines += [
        style.dim(f"      {printable(words.say(style.lang))}")
        for words in (*hit.ended_words, *hit.compared_words)
    ]
    snippet = style.memory(hit.snippet, is_spoken=hit.source == "sessions")
    shown_lines = [line for line in snippet.split("\n") if line.strip()]
    lines += [f"      {style.marked(line, result.query)}" for line in shown_lines]
    if hit.has_more_in_file:
        lines.append(style.dim(f"      {_IN_FILE_ALONE.say(style.lang)}"))
    if hit.signals is not None:
        lines.append(style.dim(f"      [{format_signals(hit.signals, style)}]"))
    if hit.parts:
        parts = format_parts(hit.parts, style)
        total = sum(hit.parts.values())
        lines.append(
            style.dim(f"      {parts} = {total:+.2f}; 1 / (1 + e^{-total:.2f}) = {hit.score:.2f}")
        )
    return "\n".join(lines)


def _how_to_go_on(degraded: str, style: Style) -> str:
    if not degraded.endswith("no vector yet"):
        return ""
    how = style.say("`gieok index` makes them now, a daemon that runs does in the background")
    return f": {how}"


def _format_hit_place(hit: SearchHit, style: Style) -> str:
    """Return the place of a hit.

    The place is a path and line that terminals and editors open, or what `gieok get` takes.
    """
    return f"{style.path(hit.file)}:{hit.line}" if hit.file else hit.citation


def _list_subject_words(hit: SearchHit, style: Style) -> list[str]:
    """Return the words for a hit that stands beside another one on the same subject."""
    words = [style.say(SAID_LATER)] if hit.is_later and hit.status != "current" else []
    if hit.said_later is not None:
        words.append(style.say(SAID_EARLIER, day=hit.said_later_on, handle=hit.said_later))
    return words


def _format_hit_status(hit: SearchHit, style: Style) -> str:
    status_text = STATUSES[hit.status].say(style.lang)
    if hit.replaced_on is None:
        return status_text
    by = style.say(" by {replaced_by}", replaced_by=hit.replaced_by) if hit.replaced_by else ""
    return f"{status_text} {style.say('on {replaced_on}', replaced_on=hit.replaced_on)}{by}"
