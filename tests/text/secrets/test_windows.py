from gieok.text.secrets.windows import CueWindow, list_windows

_ROOM = 480


def _list_windows(text: str, *, is_said: bool = True, room: int = _ROOM) -> list[CueWindow]:
    return list(list_windows(text, is_said=is_said, measure=len, room=room))


def test_a_text_without_a_cue_has_no_window() -> None:
    assert not _list_windows("The ferry leaves at nine.\nBring bread.")


def test_a_window_holds_the_line_of_a_cue_and_those_around_it() -> None:
    text = "\n".join([*"abcde", "the wifi password", *"fghijklmnop"])
    (window,) = _list_windows(text)
    assert window.lines == ("d", "e", "the wifi password", *"fghij")


def test_the_line_of_a_cue_comes_before_what_stands_above_it() -> None:
    text = "\n".join(["x" * 90, "y" * 90, "password: moon river", "z" * 90])
    (window,) = _list_windows(text, room=115)
    assert window.lines == ("password: moon river", "z" * 90)


def test_a_place_in_a_window_is_found_again_in_the_text() -> None:
    text = "one\ntwo\npassword: moon\nthree"
    (window,) = _list_windows(text, is_said=False)
    at = "\n".join(window.lines).index("moon")
    start, end = window.find_place(at, at + 4)
    assert text[start:end] == "moon"


def test_a_long_line_is_cut_between_sentences_and_every_cue_is_read() -> None:
    text = "Sentences without end follow. " * 100 + "the door code is 4925. " + "And more. " * 100
    windows = _list_windows(text)
    assert any("4925" in line for window in windows for line in window.lines)
    assert all(line.rstrip().endswith(".") for window in windows for line in window.lines)


def test_a_line_behind_that_of_a_cue_is_read_also_where_both_are_long() -> None:
    text = "a word. " * 20 + "the password stands below.\n" + "moon river " * 30
    assert any("moon" in line for window in _list_windows(text) for line in window.lines)


def test_a_cue_near_the_end_of_a_window_is_read_with_what_follows_it() -> None:
    text = "\n".join(["pin", *(f"line {n}" for n in range(4)), "password:", "moon river", "z"])
    last = _list_windows(text)[-1]
    assert "password:" in last.lines
    assert "moon river" in last.lines
