"""What Gieok wrote is known wherever it comes back, whole or cut, and nothing else goes with it."""

import sys
from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gieok.agents import table
from gieok.hook import inject, start
from gieok.memory import active_memory
from gieok.memory.active_memory import Look
from gieok.memory.observation import Category, Observation, Priority
from gieok.memory.scope_memory import ScopeMemory
from gieok.surfaces import tools
from gieok.text import active, handed
from gieok.text.echo import is_echo, strip_echo

_AT = datetime(2026, 11, 21, 5, 30, tzinfo=UTC)


def _active(lang: str) -> str:
    held = ScopeMemory(
        (),
        (
            Observation("We decided to use Redis Streams.", _AT, Priority.HIGH, Category.DECISION),
            Observation("나는 짧은 답을 더 좋아해.", _AT, Priority.MEDIUM, Category.PREFERENCE),
        ),
        patterns=(),
        task="rebuild the queue",
    )
    return (
        active_memory.render_active_memory(held, Look(lang, 2_500, "", UTC), date(2026, 11, 22))
        + "\n"
        + active_memory.MARKER
    )


_ENTRY = inject.InjectedMemory(
    title="Queue", citation="notes/queue.md#L1", text="We decided to use Redis.\nNever use Kafka."
)
_TURN = inject.InjectedMemory(
    title="",
    citation="",
    text="Kafka is out",
    who="user",
    day="2026-11-22",
    handle="1a2b3c4d.2",
    answers="Kafka?",
)
_TITLE = inject.InjectedMemory(
    title="Kafka", citation="notes/kafka.md#L1", text="Kafka " * 90, is_sure=False
)
_SAID = start.SaidTurn(
    0.2, 0.0, "2026-11-20", "yes do that", "1a2b3c4d.3", "Shall I use Loki for the logs?"
)
_START = start.render_session_start(
    [
        start.StartPart(
            "Active memory of this project (project:shop-1)",
            start.active_lines(
                active.iter_active_lines(
                    "## Notes\n- 🔴 2026-11-21 We decided to use Redis.\n- never Kafka\n"
                )
            ),
            start.ACTIVE,
        ),
        start.StartPart(
            "End of the last session here (2026-11-21, codex)",
            start.last_lines(
                [
                    ("user", "Why not Kafka?"),
                    ("assistant", "It is heavy. Redis?"),
                    ("user", "yes, 4 of them"),
                ]
            ),
            start.LAST,
        ),
        start.StartPart("Due", [(0.0, f"{_SAID.line} (due tomorrow)")], start.DUE),
        start.StartPart(
            "What the user said, newest first (agent:main)",
            start.turn_lines([_SAID]),
            start.LASTING,
        ),
    ],
    "this project's past sessions (project:shop-1)",
    2_000,
)[0]
_TEXTS = {
    "session start": _START,
    "injected": inject.render_injection([_ENTRY, _TURN, _TITLE], 2_000).text,
    "note": inject.format_near_note(),
    **{f"note to {row.name}": inject.format_near_note(row.search) for row in table.ROWS},
    **{
        f"session start of {row.name}": start.render_session_start(
            [start.StartPart("Due", [(0.0, f"{_SAID.line} (due tomorrow)")], start.DUE)],
            "this user, everywhere (agent:main)",
            2_000,
            row.search,
        )[0]
        for row in table.ROWS
    },
    "session start of a release before, to every agent": _START.replace(
        inject.SEARCH_COMMAND, "/memory:search"
    ),
    "instructions": tools.INSTRUCTIONS,
    "active memory": _active("en"),
    "활성 기억": _active("ko"),
}


@pytest.mark.parametrize("text", _TEXTS.values(), ids=_TEXTS)
def test_the_text_of_every_surface_is_known_and_taken_out_whole(text: str) -> None:
    assert is_echo(f"1\tline\n{text}\n2\tline")
    assert is_echo(text.replace("\n", "\\n").replace('"', '\\"')), "inside of JSON"
    assert strip_echo(text) == ""
    assert (
        strip_echo(f"안녕하세요.\n\n{text}\n\nI prefer spaces.")
        == "안녕하세요.\n\nI prefer spaces."
    )


@pytest.mark.parametrize(
    "text", [t for name, t in _TEXTS.items() if name in ("injected", "note", "session start")]
)
def test_of_a_text_that_is_cut_anywhere_only_what_is_ours_goes(text: str) -> None:
    for cut in range(1, len(text)):
        assert "Kafka" not in strip_echo(f"hello\n{text[:cut]}"), cut
        assert strip_echo(f"hello\n{text[:cut]}").startswith("hello")
    # Something said behind a block that was cut at the end of a line, or before one that was cut at
    # its beginning.
    for cut in [n for n, character in enumerate(text) if character == "\n"]:
        assert strip_echo(f"{text[:cut]}\n\nI prefer spaces.").endswith("I prefer spaces.")
        assert strip_echo(f"I prefer spaces.\n\n{text[cut + 1 :]}").startswith("I prefer spaces.")
        assert "Kafka" not in strip_echo(f"I prefer spaces.\n\n{text[cut + 1 :]}")


@pytest.mark.parametrize("day", ["2026-11-21", "11-21"])
def test_a_line_of_active_memory_is_known_by_its_form(day: str) -> None:
    line = f"- 🔴 {day} We decided to use Redis Streams."
    assert is_echo(f"notes/a.md:12:{line}")
    assert strip_echo(f"You told me:\n{line}\n> {line}\nRight?") == "You told me:\nRight?"


def test_injected_memory_is_taken_out_and_the_rest_stays() -> None:
    text = (
        '언제 출시하지?\n\n<memory-context n="1">\n출시는 '
        "금요일\n</memory-context>\n\n<memory-note>x</memory-note>\n고마워"
    )
    assert strip_echo(text) == "언제 출시하지?\n\n고마워"


def test_nested_blocks_go_whole_and_a_tag_that_somebody_speaks_of_takes_nothing_with_it() -> None:
    assert (
        strip_echo("a <memory-compact>b <memory-note>c</memory-note> d</memory-compact> e")
        == "a  e"
    )
    assert (
        strip_echo("What is <memory-context> for?\nI prefer tabs.")
        == "What is  for?\nI prefer tabs."
    )
    assert strip_echo("a </memory-context> b") == "a  b"
    ours = '<memory-context source="gieok">'
    assert (
        strip_echo(f"{ours}\n| x\nI prefer tabs.\n<memory-note>\nb\n</memory-note>")
        == "I prefer tabs."
    )


def test_what_follows_a_tag_that_a_person_typed_and_never_closed_is_theirs() -> None:
    said = (
        "Why is there a <memory-context>\n- use pnpm (always)\n| and tabs |\n- deploy on Tuesdays "
        "(not Fridays)"
    )
    assert strip_echo(said) == said.replace("<memory-context>", "")
    assert strip_echo("<memory-context>\n- use pnpm (always)") == "- use pnpm (always)"


def test_a_text_without_memory_is_returned_as_it_is() -> None:
    for text in (
        "  about memory-context, in words\n\n\n\n",
        "- 🔴 urgent\n- 2026-11-21 done",
        "my memory is bad",
    ):
        assert strip_echo(text) is text
        assert not is_echo(text)


_PIECES = [
    "<memory-note>",
    "</memory-note>",
    "<memory-context a=1>",
    "x",
    "\n",
    "| y",
    "- z (w)",
    "- 🔴 2026-11-21 x",
    "- 🔴 11-21 x",
]


@given(st.lists(st.sampled_from(_PIECES), max_size=12))
def test_stripping_twice_is_stripping_once(parts: list[str]) -> None:
    once = strip_echo("".join(parts))
    assert strip_echo(once) == once


def _steps(work: Callable[[], object]) -> int:
    """Count the lines of Python that a call runs."""
    steps = 0

    def trace(*_: object) -> object:
        nonlocal steps
        steps += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        work()
    finally:
        sys.settrace(before)
    return steps


_OPENERS = [
    "<memory-context ",
    "<memory-context>",
    "</memory-context>",
    "<memory-note>\n",
    "<memory-context>\n- a\n",
    "<memory-note></memory-context>",
    "- 🔴 2026-01-01 x\n",
    "\n",
    "<memory-data>\nx\n",
    "What is remembered of earlier conversations. It is data:\n",
    "Recalled from this user's own memory files. ",
]


@pytest.mark.parametrize("opener", _OPENERS)
def test_steps_grow_no_faster_than_the_text(opener: str) -> None:
    few, many = (
        _steps(lambda n=n: (strip_echo(opener * n), is_echo(opener * n))) for n in (200, 1600)
    )
    assert many <= 10 * few + 200


@pytest.mark.parametrize(
    "heading", [heading for headings in handed.HEADINGS.values() for heading in headings]
)
def test_a_sentence_that_begins_like_a_heading_of_the_page_is_its_writers_own(heading: str) -> None:
    for own in (
        f"{heading}: never push on a Friday",
        f"{heading} must be reviewed by Dana.",
        f"{heading}은 다나에게 먼저 보여줘.",
        f"{heading}\n- keep it so",
        f"## {heading} by the migration\n\nDana reviews them.",
    ):
        assert strip_echo(own) == own
        assert not is_echo(own)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_what_is_taken_out_whole_is_an_echo(lang: str) -> None:
    headings = [one for one in handed.HEADINGS[lang] if one not in handed.COMMON_HEADINGS]
    for line in (*(f"## {heading}" for heading in headings), *handed.SENTENCES, handed.KEEP):
        assert strip_echo(line) == ""
        assert is_echo(line)
