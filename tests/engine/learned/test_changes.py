"""Does a later statement replace an earlier one: what is read of them, and how clear cases are judged."""

import pytest

from gieok.engine.learned import changes
from gieok.engine.learned.weights import learned

_ALIKE = 0.75


def _likely(earlier: str, later: str, alike: float = _ALIKE) -> float:
    """Judge a pair as if the vectors were so much alike."""
    dimension = len(learned("changes").matrices["mean"][0])
    from array import array

    one = array("f", [1.0] + [0.0] * (dimension - 1))
    two = array("f", [alike, (1 - alike * alike) ** 0.5] + [0.0] * (dimension - 2))
    return changes.replaces(changes.Judged(changes.read(earlier), one), changes.Judged(changes.read(later), two))


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("배포는 젠킨스로 해", "배포 젠킨스 말고 이제 깃허브 액션으로 해"),
        ("the cache TTL is 60 seconds", "the cache TTL is 300 seconds now"),
        ("회의는 10시야", "회의는 11시로 옮겼어"),
    ],
)
def test_a_new_value_with_words_of_change_replaces_the_old_one(earlier: str, later: str) -> None:
    assert _likely(earlier, later) >= changes.REPLACES


@pytest.mark.parametrize(
    "later",
    [
        "should we move standup to 10:00?",
        "their standup is at 10:00",
        "we also have a standup at 10:00",
        "suppose standup was at 10:00",
        "standup is at 9:15",
        "standup is in the small room",
    ],
)
def test_what_is_no_change_lets_the_old_value_stand(later: str) -> None:
    assert _likely("standup is at 9:15", later) < changes.REPLACES


def test_statements_that_are_not_alike_are_not_judged() -> None:
    assert _likely("standup is at 9:15", "standup moved to 10:00", alike=0.05) == 0.0


def test_what_is_said_again_replaces_nothing_in_other_words_of_the_same() -> None:
    one, again = changes.read("the port is 8080"), changes.read("so, the port is 8080, as the team said")
    assert changes.is_repeated(one, again)
    assert not changes.is_repeated(one, changes.read("the port is 9090"))


def test_values_are_read_by_what_they_count_in_both_languages() -> None:
    assert changes.read("20분 단위로 받아").values == {"minute": frozenset({"20"})}
    assert changes.read("we keep it for twenty minutes").values == {"minute": frozenset({"20"})}
    assert changes.read("매주 월요일에 해").values["weekday"] == changes.read("every Monday").values["weekday"]


def test_vectors_of_a_model_that_nothing_was_fitted_on_are_not_judged() -> None:
    assert changes.judged("the port is 8080", b"\0" * 8, "another") is None


def test_there_is_a_weight_for_each_feature_and_none_for_the_length() -> None:
    row = changes.features(changes.read("the port is 8080"), changes.read("the port is 9090"), 0.5)
    assert len(row) == len(changes.NAMES) == len(learned("changes").matrices["features"][0])
    assert not any("length" in name for name in changes.NAMES)
