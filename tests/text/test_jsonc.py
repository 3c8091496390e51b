"""JSON with comments, edited in place: nobody's text is lost, and what we put in can be taken
out.
"""

import copy
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gieok.text import jsonc
from gieok.text.jsonc import BadJson

_PROPERTY = settings(derandomize=True, deadline=None, max_examples=150)
_OURS = {"command": "gieok hook 기억, { // no comment"}
_NAMES = st.text(max_size=4).filter(lambda name: name not in {"gieok", "hooks"})
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
_DATA = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=12,
)
_OTHERS = st.dictionaries(_NAMES, _DATA, max_size=3)
_HOOKS = st.fixed_dictionaries(
    {"Stop": st.lists(_DATA, min_size=1, max_size=2)}, optional={"": _DATA}
)
_ROOTS = _OTHERS | st.builds(
    lambda others, hooks: {**others, "hooks": hooks, "~": 1}, _OTHERS, _HOOKS
)
_PLACES = st.sampled_from(
    [(("gieok",), False), (("hooks", "Stop"), True), (("hooks", "gieok", "x"), False)]
)
#: Made once: a strategy that is made for each of a text's blanks is checked each time, which took
#: half of the time.
_BLANKS = st.lists(st.sampled_from([" ", "\t", "\n", "\r\n", "//", "/*"]), max_size=2)
_EITHER = st.booleans()
_MARKS = st.sampled_from(["", "\ufeff"])
_File = tuple[Any, str, list[str]]
_Where = tuple[tuple[str, ...], bool]


@st.composite
def _files(draw: Callable[..., Any], root: Any = _DATA) -> _File:
    """Draw data, a text of it with odd spacing and trailing commas, and the comments in it, which
    try to look like JSON.
    """
    comments: list[str] = []

    def blank() -> str:
        text = ""
        for kind in draw(_BLANKS):
            if kind.isspace():
                text += kind
            else:
                number = len(comments)
                comments.append(
                    f'// "{number}", ]}} /*' if kind == "//" else f'/* {number} , {{[" // */'
                )
                text += comments[-1] + ("\n" if kind == "//" else "")
        return text

    def joined(children: list[str]) -> str:
        return ",".join(children) + ("," if children and draw(_EITHER) else "") + blank()

    def written(data: object) -> str:
        if isinstance(data, dict):
            pairs = [
                f"{blank()}{json.dumps(name)}{blank()}:{written(value)}"
                for name, value in data.items()
            ]
            body = f"{{{joined(pairs)}}}"
        elif isinstance(data, list):
            body = f"[{joined(list(map(written, data)))}]"
        else:
            body = json.dumps(data, ensure_ascii=draw(_EITHER))
        return blank() + body + blank()

    data = draw(root)
    return data, draw(_MARKS) + written(data), comments


@_PROPERTY
@given(_files(), st.sampled_from([None, 2, "\t"]))
def test_commented_and_plain_json_are_read_as_their_data(file: _File, indent: Any) -> None:
    data, text, _ = file
    assert jsonc.load_jsonc(text) == data == jsonc.load_jsonc(json.dumps(data, indent=indent))


def test_of_a_name_that_stands_twice_the_last_counts_and_is_changed() -> None:
    text = '{"a": 1, "hooks": {"Stop": [1]}, "hooks": {"Stop": [2]}}'
    assert jsonc.load_jsonc(text) == json.loads(text)
    put = jsonc.put_jsonc_value(text, ("hooks", "Stop"), 3, append=True)
    assert put == '{"a": 1, "hooks": {"Stop": [1]}, "hooks": {"Stop": [2, 3]}}'
    assert jsonc.drop_jsonc_value(put, ("hooks", "Stop"), lambda value: value == 3) == text


@_PROPERTY
@given(_files(_ROOTS), _PLACES)
def test_what_is_put_is_there_and_dropped_leaves_the_data_and_every_comment(
    file: _File, where: _Where
) -> None:
    data, text, comments = file
    path, append = where
    expected = inner = copy.deepcopy(data)
    for name in path[:-1]:
        inner = inner.setdefault(name, {})
    inner[path[-1]] = [*inner.get(path[-1], []), _OURS] if append else _OURS
    put = jsonc.put_jsonc_value(text, path, _OURS, append=append)
    assert jsonc.load_jsonc(put) == expected
    rest = iter(re.sub(r"\s", "", put))
    assert all(char in rest for char in re.sub(r"\s", "", text)), (
        "something that is not blank was taken away"
    )
    back = jsonc.drop_jsonc_value(put, path, lambda value: value == _OURS)
    assert jsonc.load_jsonc(back) == data
    assert all(comment in put and comment in back for comment in comments)


@_PROPERTY
@given(
    _ROOTS,
    st.sampled_from([2, 4, "\t"]),
    st.sampled_from(["", "\n"]),
    st.sampled_from(["", "// 설정"]),
    _PLACES,
)
def test_a_text_in_a_usual_layout_is_the_same_to_the_byte_afterwards(
    data: dict[str, object], indent: Any, end: str, comment: str, where: _Where
) -> None:
    lines = json.dumps(data, indent=indent, ensure_ascii=False).split("\n")
    text = "\n".join(f"{line} {comment}".rstrip(" ") for line in lines) + end
    put = jsonc.put_jsonc_value(text, where[0], _OURS, append=where[1])
    assert jsonc.drop_jsonc_value(put, where[0], lambda value: value == _OURS) == text


# What follows the last value on its line may end in blanks, such as the \r of CRLF, and they stay.
@pytest.mark.parametrize(
    "text",
    [
        '{\r\n  "a": 1,\r\n  "hooks": {\r\n    "Stop": [\r\n      1\r\n    ]\r\n  }\r\n}\r\n',
        '{"a": 1 , "b": {}}',
        '{"a": 1 }',
        '{\r\n  "a": [1], // why\r\n  "b": 2 // because\r\n}\r\n',
        '{\n  "hooks": { "Stop": [ 1 ] },\n  "b": 2\n}\n',
        '\ufeff{\n\t"a": 1\n}',
        "{}",
        "{}\n",
    ],
)
@pytest.mark.parametrize(("path", "append"), [(("hooks", "Stop"), True), (("gieok",), False)])
def test_these_texts_are_the_same_to_the_byte_afterwards(
    text: str, path: tuple[str, ...], append: bool
) -> None:
    assert (
        jsonc.drop_jsonc_value(
            jsonc.put_jsonc_value(text, path, _OURS, append=append),
            path,
            lambda value: value == _OURS,
        )
        == text
    )


# Without the end of its line, a comment would hide what comes next, or the closing bracket.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"hooks": {"Stop": [ // mine\n "ours", 2]}}', {"hooks": {"Stop": [2]}}),
        ('{"hooks": {"Stop": [1, // mine\n "ours"]}}', {"hooks": {"Stop": [1]}}),
        ('{ // mine\n "hooks": {"Stop": ["ours"]}}', {}),
        ('{"a": 1, // mine\n "hooks": {"Stop": ["ours"]}, "b": 2}', {"a": 1, "b": 2}),
        ('{"a": 1 // mine\n, "hooks": {"Stop": ["ours", "ours"]}\n}', {"a": 1}),
    ],
)
def test_a_line_comment_before_what_is_dropped_stays_and_hides_nothing(
    text: str, expected: object
) -> None:
    dropped = jsonc.drop_jsonc_value(text, ("hooks", "Stop"), lambda value: value == "ours")
    assert jsonc.load_jsonc(dropped) == expected
    assert "// mine\n" in dropped


def test_what_is_not_there_is_dropped_without_a_trace() -> None:
    for text in (
        "",
        "  \n",
        "{}",
        '{"hooks": 1}',
        '{"hooks": {"Stop": {"a": 1}}}',
        "[1] // no object",
    ):
        assert (
            jsonc.drop_jsonc_value(text, ("hooks", "Stop"), lambda value: value == "ours") == text
        )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"hooks": 1}', "hooks is not an object"),
        ("[]", "the file is not an object"),
        ('{"hooks": {"Stop": {}}}', "Stop is not an array"),
    ],
)
def test_nothing_is_put_where_something_else_stands(text: str, said: str) -> None:
    with pytest.raises(BadJson, match=said):
        jsonc.put_jsonc_value(text, ("hooks", "Stop"), 1, append=True)


# The standard library's parser, by which values are read, refuses 01 and digits of other scripts
# too.
@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("", 1, 1),
        ("{", 1, 2),
        ('{"a": 1\n"b": 2}', 2, 1),
        ('{"a" 1}', 1, 6),
        ("[1,,2]", 1, 4),
        ("[,]", 1, 2),
        ('{"a": tru}', 1, 7),
        ('["a]', 1, 2),
        ("{} {}", 1, 4),
        ("/* open", 1, 1),
        ("[1] // x\n]", 2, 1),
        ("\n\n[01]", 3, 3),
        ("[٣]", 1, 2),
        ("[-]", 1, 2),
        ('"\\x"', 1, 1),
        ("/*" + " /*" * 99_999, 1, 1),
        ("/**/ " * 100_000, 1, 500_001),
        ("[" + "1," * 50_000, 1, 100_002),
        ("[" * 100_000, 1, None),
        ('{"a":' * 100_000, 1, None),
    ],
)
def test_what_is_no_json_is_refused_with_line_and_column(
    text: str, line: int, column: int | None
) -> None:
    with pytest.raises(BadJson, match=rf"at line {line}, column {column or ''}"):
        jsonc.load_jsonc(text)


_PIECES = [
    "{", "}", "[", "]", ":", ",", '"a"', '"', "\\", "/*", "*/", "//", "\n", "\r", " ", "0", "1",
    ".", "e", "-", "true", "null", "NaN", "٣", "\ufeff", "가", "\x0b",
]  # fmt: skip


@settings(_PROPERTY, max_examples=400)
@given(st.lists(st.sampled_from(_PIECES), max_size=12).map("".join))
def test_any_text_is_read_or_refused_and_agrees_with_the_standard_library(text: str) -> None:
    try:
        mine = jsonc.load_jsonc(text)
    except BadJson as error:
        # It may also be read.
        assert re.search(r"at line \d+, column \d+$", str(error))  # noqa: PT017
        with pytest.raises(ValueError):
            json.loads(text.replace("NaN", "?"), strict=False)
    else:
        assert repr(jsonc.load_jsonc(f"/**/{text.removeprefix(chr(0xFEFF))}//")) == repr(mine), (
            "NaN is not itself"
        )
