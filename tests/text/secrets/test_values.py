import pytest

from gieok.text.secrets.values import list_values


def _list_texts(line: str) -> list[str]:
    return [line[value.start : value.end] for value in list_values(line)]


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("the staging password is kangaroo_42.", "kangaroo_42"),
        (
            "passphrase for the disk is nine slow otters borrow a ladder. thanks",
            "nine slow otters borrow a ladder",
        ),
        ("password = tin whistle monday", "tin whistle monday"),
        ('{"password":"토마토는밤에큰다"}', "토마토는밤에큰다"),
        ("비번은 감자전두장으로 바꿨어", "감자전두장"),
        ("와이파이 비번 고양이네발예요!", "고양이네발"),
        ("암호는 비 오는 화요일엔 칼국수입니다, 그대로", "비 오는 화요일엔 칼국수"),
        ("비밀번호: 봄날2026!", "봄날2026!"),
        ("| admin | papegaai | 2021 |", "papegaai"),
        ("<암호>읽기만할게요</암호>", "읽기만할게요"),
    ],
)
def test_what_may_be_a_secret_is_a_value_of_its_own(line: str, value: str) -> None:
    assert value in _list_texts(line)


def test_a_place_is_listed_once() -> None:
    line = 'pw: "moon", "moon"'
    places = [(value.start, value.end) for value in list_values(line)]
    assert len(places) == len(set(places))


def test_a_line_without_end_has_values_in_time_that_grows_with_it() -> None:
    line = "비번은 abc-12, " * 400
    assert 400 < len(list_values(line)) < 30 * 400


def test_the_placeholder_of_a_secret_is_no_value() -> None:
    texts = _list_texts("DB_PASSWORD=[redacted:password] and moon")
    assert "moon" in texts
    assert not any("redacted" in text for text in texts)
