"""Secrets go before anything is cut: no part of one is left, wherever the cut falls."""

import json

import pytest

from gieok.agents.transcripts.shortened_lines import decode_arguments, tool_call, tool_result
from gieok.text.redact import redact

_KEY = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + "\n".join("MIIEow" + chr(65 + n) * 58 for n in range(25))
    + "\n-----END RSA PRIVATE KEY-----"
)
_TOKEN = "sk-ant-" + "Zz9" * 30
_SHOWN = "MIIEow", "Zz9Zz9"


@pytest.mark.parametrize("secret", [_KEY, _TOKEN], ids=["key", "token"])
@pytest.mark.parametrize("size", [0, 1_000, 100_000, 3_000_000])
@pytest.mark.parametrize("at", [0, 100, 390])
def test_no_part_of_a_secret_is_kept_wherever_a_result_is_cut(
    secret: str, size: int, at: int
) -> None:
    filler = "line of output\n" * (size // 15)
    for text in (f"{'x ' * (at // 2)}{secret}\n{filler}", f"{filler}{secret}\n{'x ' * (at // 4)}"):
        shown = tool_result("read", text)
        assert not any(part in shown for part in _SHOWN)
        assert len(shown) < 800


def test_no_part_of_a_secret_is_kept_of_an_argument() -> None:
    for arguments in (
        {"content": f"{'x ' * 50}{_TOKEN} {_KEY}"},
        {"content": _KEY, "path": "key.pem"},
        {"nested": {"deep": [_TOKEN]}},
        json.dumps({"cmd": f"export KEY={_TOKEN}"}),
        f"{'y ' * 55}{_TOKEN}",
    ):
        shown = tool_call("write", arguments)
        assert not any(part in shown for part in _SHOWN), shown
    assert "hunter2" not in tool_call("login", {"password": "hunter2hunter2"})


def test_what_does_not_show_hides_no_secret_and_stays_where_it_hides_none() -> None:
    hidden = _TOKEN[:20] + "\u200b" + _TOKEN[20:50] + "\u2060" + _TOKEN[50:]
    assert "Zz9" not in redact(f"use {hidden} now")
    assert "Zz9" not in tool_result("read", hidden)
    assert "Zz9" not in tool_call("read", {"q": hidden})
    assert redact("👩\u200d👧 ❤\ufe0f 안녕") == "👩\u200d👧 ❤\ufe0f 안녕"


def test_a_long_result_keeps_its_beginning_its_end_and_how_much_is_left_out() -> None:
    shown = tool_result("exec", "a" * 1000 + "the end", failed=True)
    assert shown.startswith(f"[exec failed] {'a' * 400} … 407 characters … aaa")
    assert shown.endswith("the end")
    assert tool_result("", " ok ") == "[tool ok] ok"


def test_a_call_is_one_line() -> None:
    assert tool_call("read", {"path": "a\nb", "n": 3}) == "[read path=a b n=3]"
    assert tool_call("", None) == "[tool]"
    assert tool_call("run", '["ls", "-l"]') == '[run ["ls", "-l"]]'
    assert tool_call("run", "{torn") == "[run {torn]"
    assert decode_arguments("{torn") == "{torn"
