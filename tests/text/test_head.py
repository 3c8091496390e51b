"""What notes say of themselves, in the ways of the programs that people keep them with."""

from datetime import UTC, datetime

import pytest

from gieok.text.head import read_head, stem_without_identity

_DAY = datetime(2026, 11, 20, tzinfo=UTC)

_NOTES = {
    "obsidian": (
        "---\ntitle: Quay repairs\naliases: [the quay, 선착장]\ntags:\n  - harbour\n  - "
        "'#repair'\ndate: 2026-11-20\n"
        "summary: >-\n  the quay was mended\n  by two masons\n---\nbody\n"
    ),
    "hugo": (
        '+++\ntitle = "Quay repairs"\naliases = ["the quay", "선착장"]\ntags = ["harbour", '
        '"repair"]\ndate = 2026-11-20\n'
        'summary = "the quay was mended by two masons"\n+++\nbody\n'
    ),
    "logseq": (
        "title:: Quay repairs\nalias:: the quay, 선착장\ntags:: [[harbour]], #repair\ndate:: "
        "[[Nov 20th, 2026]]\n"
        "summary:: the quay was mended by two masons\n\n- body\n"
    ),
    "org": (
        ':PROPERTIES:\n:ID: 12\n:ROAM_ALIASES: "the quay" 선착장\n:END:\n#+TITLE: Quay '
        "repairs\n#+filetags: :harbour:repair:\n"
        "#+DATE: <2026-11-20 Fri>\n#+DESCRIPTION: the quay was mended by two masons\n\n* body\n"
    ),
    "korean": (
        "---\n제목: Quay repairs\n별칭: the quay, 선착장\n태그: [harbour, repair]\n날짜: 2026년 11월 20일\n"
        "요약: the quay was mended by two masons\n---\nbody\n"
    ),
}


@pytest.mark.parametrize("program", _NOTES)
def test_a_head_is_read_whichever_program_wrote_it(program: str) -> None:
    text = _NOTES[program]
    head = read_head(text)
    assert (head.title, head.aliases, head.tags) == (
        "Quay repairs",
        ("the quay", "선착장"),
        ("harbour", "repair"),
    )
    assert head.day == _DAY
    (lines,) = head.summaries
    assert (
        " ".join(text[lines.start : lines.end].split())
        .rstrip('"')
        .endswith("the quay was mended by two masons")
    )
    assert text.split("\n")[lines.start_line - 1 : lines.end_line] == text[
        lines.start : lines.end
    ].split("\n")
    assert text[head.begin :].strip(" -*\n") == "body"
    assert head.begin_line == text.count("\n", 0, head.begin) + 1


def test_the_lines_below_a_title_of_notion_are_head_and_text() -> None:
    text = (
        "# Quay repairs\n\nCreated: November 20, 2026 10:12 AM\nTags: harbour, repair\nOwner: "
        "Rui\n\nbody\n"
    )
    head = read_head(text)
    assert (head.title, head.tags, head.created, head.begin) == (
        "Quay repairs",
        ("harbour", "repair"),
        _DAY,
        0,
    )
    assert stem_without_identity("Quay repairs 0123456789abcdef0123456789abcdef") == "Quay repairs"


def test_what_joplin_puts_behind_a_raw_note_is_no_text_of_it() -> None:
    text = (
        "Quay repairs\n\nbody\n\nid: 0123456789abcdef0123456789abcdef\nparent_id: \n"
        "created_time: 2026-11-21T10:00:00.000Z\nuser_created_time: "
        "2026-11-20T10:00:00.000Z\ntype_: 1"
    )
    head = read_head(text)
    assert (head.title, head.created) == ("Quay repairs", datetime(2026, 11, 20, 10, tzinfo=UTC))
    assert text[head.begin : head.end] == "Quay repairs\n\nbody"


@pytest.mark.parametrize(
    ("line", "tags"),
    [
        ("#harbour and #일/회의, then (#no)", ("harbour", "일/회의")),
        ("#two words# and #repair", ("two words", "repair")),
        ("#fff #a1b2c3 #123 [x](#anchor) a#b", ()),
        ("# Heading\n## Second", ()),
        ("`#code` and\n```\n#include <x>\n```\n", ()),
        ("#2026goals", ("2026goals",)),
    ],
)
def test_tags_in_the_text_are_tags(line: str, tags: tuple[str, ...]) -> None:
    assert read_head(line).tags == tags


@pytest.mark.parametrize(
    "text",
    [
        "Term:: a definition\nOther:: two\n\nbody",
        "Note: hello\nthere",
        "+++\nno toml\n+++\nbody",
        "std::vector is one\n",
    ],
)
def test_what_looks_like_a_head_and_is_none_stays_text(text: str) -> None:
    head = read_head(text)
    assert (head.begin, head.end, head.day, head.aliases) == (0, len(text), None, ())


def test_the_day_of_a_note_is_told_apart_from_that_of_its_making() -> None:
    head = read_head("---\ncreated: 2026-11-18\ndate: 2026-11-20\n---\n")
    assert (head.day, head.created) == (_DAY, datetime(2026, 11, 18, tzinfo=UTC))


def test_values_of_yaml_are_read_in_every_form() -> None:
    text = (
        '---\n"title": "a: b" # mine\ntags: [one,\n  \'two, three\']\ndescription: |\n  a\n  '
        "b\nowner:\n  name: Rui\n---\n"
    )
    head = read_head(text)
    assert head.title == "a: b"
    assert head.fields["tags"] == "one, two, three"
    assert head.fields["description"] == "a b"
