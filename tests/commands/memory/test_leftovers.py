"""What of a text is looked for in files that may still hold it."""

from gieok.commands.memory.leftovers import select_needles


def test_of_a_head_the_values_are_looked_for_and_not_its_fields_or_times() -> None:
    text = (
        "---\ntitle: The printer is on floor 4\ncategory: decision\n"
        "created: 2026-11-28T01:45:33Z\nsummary: >\n  a second line of it\n---\n"
        "The printer is on floor 4\ncreated: the badge of the cart\n"
    )
    assert select_needles([text]) == [
        "The printer is on floor 4",
        "a second line of it",
        "created: the badge of the cart",
    ]


def test_a_number_in_a_head_that_is_no_time_is_looked_for() -> None:
    text = "---\nphone: 010-4471-9982\ncard: 4921 1188 2230 7761\ncreated: 2026-11-28 01:45\n---\n"
    assert select_needles([text]) == ["010-4471-9982", "4921 1188 2230 7761"]


def test_a_short_value_in_a_head_is_looked_for_with_its_field() -> None:
    text = "---\npin: tulip-88\ncategory: session-summary\ntold: 2026-11-01, 2026-11-20\n---\n"
    assert select_needles([text]) == ["pin: tulip-88"]


def test_a_line_of_few_letters_is_too_common_to_be_looked_for() -> None:
    assert select_needles(["eleven sign\ntwelve signs\ntwelve signs"]) == ["twelve signs"]
