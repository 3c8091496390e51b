import pytest

from gieok.text.secrets.cues import CUES, CueRow, announces_secret, find_cues


@pytest.mark.parametrize("row", CUES, ids=lambda row: row.name)
def test_a_cue_is_found_in_its_example_and_not_in_its_counter_example(row: CueRow) -> None:
    assert row.name in {cue.name for cue in find_cues(row.example)}
    assert row.name not in {cue.name for cue in find_cues(row.counter_example)}


def test_a_weak_cue_announces_a_secret_in_talk_alone() -> None:
    line = "the code is on the fridge"
    assert announces_secret(line, is_said=True)
    assert not announces_secret(line, is_said=False)


def test_a_clear_cue_announces_a_secret_in_a_document_too() -> None:
    assert announces_secret("현관 비번 적어둘게", is_said=False)


def test_two_cues_that_say_little_alone_announce_a_secret_in_talk() -> None:
    assert not announces_secret("then type it in", is_said=True)
    assert announces_secret("log in, then type it in", is_said=True)
