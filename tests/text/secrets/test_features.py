from gieok.text.secrets.features import describe_value
from gieok.text.secrets.values import LineValue, list_values


def _describe(lines: list[str], row: int, text: str) -> list[str]:
    line = lines[row]
    start = line.index(text)
    value = next(v for v in list_values(line) if (v.start, v.end) == (start, start + len(text)))
    return describe_value(lines, row, value)


def test_a_value_is_described_by_its_cue_and_what_links_them() -> None:
    features = _describe(["the door code is 4925, thanks"], 0, "4925")
    assert {"cue=code", "cue link=code is", "number=4", "cue left=door"} <= set(features)


def test_a_cell_is_described_by_the_head_of_its_column() -> None:
    features = _describe(["site;user;password", "wiki;admin;papegaai"], 1, "papegaai")
    assert "cue head=password" in features
    assert "cue head=password" not in _describe(
        ["site;user;password", "wiki;admin;papegaai"], 1, "wiki"
    )


def test_a_shape_that_is_seldom_a_secret_is_named() -> None:
    assert "type=url" in _describe(["see https://x.example/a now"], 0, "https://x.example/a")
    assert "type=placeholder" in describe_value(["pw=${DB_PW}"], 0, LineValue(3, 11, "s"))


def test_a_feature_is_listed_once() -> None:
    features = _describe(["key key key is moon"], 0, "moon")
    assert len(features) == len(set(features))
