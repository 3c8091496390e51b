"""Labels of numbered paragraphs."""

import pytest

from gieok.text.office.numbering import (
    ListNumbering,
    NumberLevel,
    format_number,
    parse_count,
)


@pytest.mark.parametrize(
    ("number", "number_format", "text"),
    [
        (3, "decimal", "3"),
        (2, "ganada", "나"),
        (14, "HANGUL_SYLLABLE", "하"),
        (15, "HANGUL_SYLLABLE", "15"),
        (26, "lowerLetter", "z"),
        (27, "lowerLetter", "27"),
        (4, "upperRoman", "IV"),
        (1994, "lowerRoman", "mcmxciv"),
        (4000, "upperRoman", "4000"),
        (0, "upperLetter", "0"),
        (20, "CIRCLED_DIGIT", "⑳"),
        (5, "no such format", "5"),
    ],
)
def test_a_number_is_written_in_its_format_while_that_has_a_numeral(
    number: int, number_format: str, text: str
) -> None:
    assert format_number(number, number_format) == text


def test_a_deeper_level_begins_anew_below_each_item() -> None:
    levels = {0: NumberLevel("decimal", "%1."), 1: NumberLevel("decimal", "%1.%2", start=3)}
    numbering = ListNumbering({"a": levels})
    labels = [numbering.take_label("a", level) for level in (0, 1, 1, 0, 1)]
    assert labels == ["1.", "1.3", "1.4", "2.", "2.3"]
    numbering.restart("a", 0, 7)
    assert numbering.take_label("a", 0) == "7."


def test_a_list_or_level_that_the_document_does_not_define_is_counted() -> None:
    numbering = ListNumbering({"none": {0: NumberLevel("none", "")}})
    assert [numbering.take_label("gone", 4) for _ in range(2)] == ["1.", "2."]
    assert not numbering.take_label("none", 0)


@pytest.mark.parametrize(
    ("text", "count"), [("12", 12), ("", 5), (None, 5), ("-1", 5), ("٣", 5), ("9" * 5000, 5)]
)
def test_an_attribute_that_is_no_count_is_the_default(text: str | None, count: int) -> None:
    assert parse_count(text, 5) == count
