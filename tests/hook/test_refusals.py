"""Memories that a person refused for prompts like one: which prompts are like it, and what else
says the same.
"""

import json
import zlib
from hashlib import blake2b
from pathlib import Path

import pytest

from gieok.hook import choice, named
from gieok.hook.inject import InjectedMemory
from gieok.hook.refusals import (
    AT_START,
    PromptRefusals,
    add_refusal,
    lift_refusals,
    list_lost_refusals,
)

_PROMPT = "which linter reads invoices, refunds and payments"


def _memory(handle: str, text: str) -> InjectedMemory:
    return InjectedMemory(title="", citation="", text=text, handle=handle, score=0.7)


RUFF, LEASE = _memory("aaaa0001", "We lint with ruff."), _memory("aaaa0002", "The lease ends.")


@pytest.fixture
def home(tmp_path: Path) -> str:
    add_refusal(str(tmp_path), RUFF.handle, RUFF.text, _PROMPT, 1.0)
    return str(tmp_path)


@pytest.mark.parametrize(
    ("prompt", "is_alike"),
    [
        (_PROMPT, True),
        ("Which LINTER reads the refunds, payments, invoices?", True),
        ("the linter that reads invoices and payments", True),  # three of four words
        ("linter for invoices and payments of a warehouse", True),  # three of five
        ("linter for invoices and payments of a lease warehouse", False),  # three of six
        ("linter for invoices", False),  # two of four
        ("when is the lease up", False),
        ("", False),
    ],
)
def test_a_refusal_holds_for_prompts_in_nearly_the_same_words(
    home: str, prompt: str, is_alike: bool
) -> None:
    refused = PromptRefusals(home, prompt)
    assert refused.refuses(RUFF) is is_alike
    assert refused.allowed([RUFF, LEASE]) == ([LEASE] if is_alike else [RUFF, LEASE])


@pytest.mark.parametrize(
    ("text", "is_same"),
    [
        ("we lint with RUFF", True),
        ("We lint with ruff. (2026-11-27)", True),
        ("We lint with ruff. → Understood.", True),
        ("We lint with ruff and mypy.", False),
    ],
)
def test_what_says_the_same_under_another_handle_is_refused_too(
    home: str, text: str, is_same: bool
) -> None:
    assert PromptRefusals(home, _PROMPT).refuses(_memory("bbbb0001", text)) is is_same


def test_a_refusal_is_lifted_for_its_prompt_and_memory_alone(home: str) -> None:
    add_refusal(home, LEASE.handle, LEASE.text, _PROMPT, 2.0)
    add_refusal(home, RUFF.handle, RUFF.text, "배포는 언제 하지", 3.0)
    assert lift_refusals(home, RUFF.handle, RUFF.text, _PROMPT) == 1
    assert not PromptRefusals(home, _PROMPT).refuses(RUFF)
    assert PromptRefusals(home, _PROMPT).refuses(LEASE)
    assert PromptRefusals(home, "배포는 언제 하나요?").refuses(RUFF)
    assert lift_refusals(home, RUFF.handle, RUFF.text, _PROMPT) == 0


def test_what_is_refused_for_its_words_is_lifted_by_any_memory_in_these_words(home: str) -> None:
    twin = _memory("bbbb0001", "we lint with RUFF")
    assert PromptRefusals(home, _PROMPT).refuses(twin)
    assert lift_refusals(home, LEASE.handle, LEASE.text, _PROMPT) == 0
    assert lift_refusals(home, twin.handle, twin.text, "when is the lease up") == 0
    assert lift_refusals(home, twin.handle, twin.text, _PROMPT) == 1
    assert not PromptRefusals(home, _PROMPT).refuses(twin)
    assert not PromptRefusals(home, _PROMPT).refuses(RUFF)


def test_a_word_cannot_be_tried_on_the_kept_rows_and_two_homes_keep_other_ones(
    tmp_path: Path,
) -> None:
    kept = []
    for name in ("one", "two"):
        home = tmp_path / name
        add_refusal(str(home), RUFF.handle, RUFF.text, "linter", 1.0)
        ((row,), key) = (
            json.loads((home / "hook" / "refused.json").read_text()),
            home / "hook" / "refused.key",
        )
        assert key.stat().st_mode & 0o777 == 0o600
        assert PromptRefusals(str(home), "linter").refuses(RUFF)
        kept.append({row["text"], *row["words"]})
    assert len(kept[0]) == 2
    assert not kept[0] & kept[1]
    for word in ("linter", "welintwithruff"):
        plain = blake2b(word.encode(), digest_size=8).hexdigest()
        assert plain not in kept[0]
        assert zlib.crc32(word.encode()) not in kept[0]


def test_no_text_is_kept_a_repeated_refusal_once_and_a_broken_file_refuses_nothing(
    home: str,
) -> None:
    add_refusal(home, RUFF.handle, RUFF.text, _PROMPT, 9.0)
    file = Path(home, "hook", "refused.json")
    assert file.stat().st_mode & 0o777 == 0o600
    (row,) = json.loads(file.read_text())
    assert row["at"] == 9.0
    assert "linter" not in file.read_text()
    assert "ruff" not in file.read_text()
    file.write_text('[{"handle": 1}, 2, {"broken"')
    assert not PromptRefusals(home, _PROMPT).refuses(RUFF)
    for damaged in (
        "null",
        "5",
        '[{"handle": "a", "text": 1, "words": null, "at": 1}]',
        '[{"handle": [], "text": "a", "words": ["a"], "at": 1}]',
    ):
        file.write_text(damaged)
        assert not PromptRefusals(home, _PROMPT).refuses(RUFF)
    file.write_text('[{"handle": 1}, 2]')
    assert not PromptRefusals(home, _PROMPT).refuses(RUFF)


def test_a_prompt_without_words_that_count_is_like_itself_alone(tmp_path: Path) -> None:
    add_refusal(str(tmp_path), RUFF.handle, RUFF.text, "계속해", 1.0)
    assert PromptRefusals(str(tmp_path), "계속해").refuses(RUFF)
    assert not PromptRefusals(str(tmp_path), "그만해").refuses(RUFF)


def _write_rows_of_before(home: str) -> None:
    """Write the refusal of `RUFF` as it was kept before there was a secret."""
    words = [tokens[0] for tokens in named.content_words(_PROMPT)]
    sums = sorted(zlib.crc32(choice.fold_statement(word).encode()) for word in words)
    text = zlib.crc32(choice.fold_statement(RUFF.text).encode())
    row = {"handle": RUFF.handle, "text": text, "words": sums, "at": 1.0}
    file = Path(home, "hook", "refused.json")
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps([row]))


def test_a_refusal_of_before_there_was_a_secret_holds_and_is_lifted(tmp_path: Path) -> None:
    home, twin = str(tmp_path), _memory("bbbb0001", "we lint with RUFF")
    _write_rows_of_before(home)
    for _ in range(2):
        refused = PromptRefusals(home, _PROMPT)
        assert refused.allowed([RUFF, twin, LEASE]) == [LEASE]
        assert not PromptRefusals(home, "when is the lease up").refuses(RUFF)
        add_refusal(home, LEASE.handle, LEASE.text, "when is the lease up", 2.0)
    assert PromptRefusals(home, "when is the lease up").refuses(LEASE)
    assert list_lost_refusals(home) == []
    assert lift_refusals(home, twin.handle, twin.text, _PROMPT) == 1
    assert not PromptRefusals(home, _PROMPT).refuses(RUFF)


@pytest.mark.parametrize("is_named", [True, False])
def test_refusals_whose_secret_is_lost_are_named(home: str, is_named: bool) -> None:
    file, key = Path(home, "hook", "refused.json"), Path(home, "hook", "refused.key")
    if not is_named:  # as rows were written before they named their secret
        rows = json.loads(file.read_text())
        for row in rows:
            del row["key"]
        file.write_text(json.dumps(rows))
    assert list_lost_refusals(home) == []
    key.unlink()
    assert list_lost_refusals(home) == [RUFF.handle]
    assert not PromptRefusals(home, _PROMPT).refuses(RUFF)
    add_refusal(home, LEASE.handle, LEASE.text, "when is the lease up", 2.0)
    assert list_lost_refusals(home) == [RUFF.handle]
    assert PromptRefusals(home, "when is the lease up").refuses(LEASE)
    key.write_bytes(b"short")
    assert list_lost_refusals(home) == [RUFF.handle, LEASE.handle]


def test_the_newest_refusals_are_kept(tmp_path: Path) -> None:
    for number in range(302):
        add_refusal(str(tmp_path), f"{number:08x}", "x", _PROMPT, float(number))
    rows = json.loads((tmp_path / "hook" / "refused.json").read_text())
    assert [rows[0]["at"], rows[-1]["at"], len(rows)] == [2.0, 301.0, 300]


@pytest.mark.parametrize(
    ("line", "is_refused"),
    [
        ("- 2026-11-20 We lint with ruff. (aaaa0001)", True),
        ("- 2026-11-20 Another thing. (unsure, aaaa0001.3)", False),
        ("- 🟡 2026-11-20 We lint with ruff. (context)", True),
        ("- 2026-11-20 We lint with ruff. (bbbb0001.1) (due tomorrow)", True),
        ("- 2026-11-20 We lint with ruff, she said. (bbbb0001)", False),
        ("- decision: (and nothing more", False),
        ("- The words of aaaa0001 stand there", True),
        ("- A file aaaa0001.md, and 0aaaa0001", False),
        ("", False),
    ],
)
def test_a_line_of_a_session_start_is_refused_by_handle_or_words(
    tmp_path: Path, line: str, is_refused: bool
) -> None:
    home = str(tmp_path)
    assert not PromptRefusals(home, AT_START).refuses_line(line)
    add_refusal(home, RUFF.handle, RUFF.text, AT_START, 1.0)
    assert PromptRefusals(home, AT_START).refuses_line(line) is is_refused
    assert not PromptRefusals(home, _PROMPT).refuses(RUFF)
    assert not PromptRefusals(home, "?!").refuses(RUFF), "a prompt without words is no start"
    assert lift_refusals(home, RUFF.handle, RUFF.text, "?!") == 0
    assert lift_refusals(home, RUFF.handle, RUFF.text, AT_START) == 1
