"""Which lines' rules are told at a session's start, and until when."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.support.silent_reader import SilentReader
from tests.support.talk import build_block, build_key

from gieok.hook import rules
from gieok.memory.talk import lasting_turns, promotion, rule_readings
from gieok.model.memory import Scope
from gieok.places.home import lasting_file, rules_file
from gieok.places.scope import USER_SCOPE
from gieok.ports.models import RuleKind, RuleStretch
from gieok.testing.memory_store import MemoryStore

_SHOP = Scope("project:shop-1")
_MONDAY = datetime(2026, 11, 23, 10, tzinfo=UTC)
_STANDING = "Never deploy to production."


class _Reader(SilentReader):
    """Takes what is said of deploying for a rule."""

    def find_rules(self, text: str, before: str = "") -> list[RuleStretch]:
        start = text.find("deploy to")
        return [RuleStretch(start, len(text), RuleKind.NEVER, 0.95)] if start >= 0 else []


def _read_rows(home: Path, scope: Scope) -> list[list[object]]:
    file = Path(rules_file(str(home), str(scope)))
    return json.loads(file.read_text()) if file.exists() else []


def _write_rules(home: Path, *said: str) -> list[list[object]]:
    store = MemoryStore()
    store.put(
        [
            build_block(_SHOP, build_key(f"s{day}"), f"User: {words}", at=_MONDAY.replace(day=day))
            for day, words in enumerate(said, start=23)
        ]
    )
    store.use_model("m", 2)
    store.put_vectors("m", {passage: b"\0" * 8 for passage, _ in store.missing(10)})
    while promotion.update_promotions(store, home, reader=_Reader(), now=_MONDAY):
        pass
    return _read_rows(home, _SHOP)


@pytest.mark.parametrize(
    "later", ["Do not deploy to production today.", "Don't deploy to production until Friday."]
)
def test_what_is_forbidden_until_a_day_does_not_take_the_place_of_a_standing_rule(
    tmp_path: Path, later: str
) -> None:
    assert [row[2] for row in _write_rules(tmp_path, _STANDING, later)] == [
        build_key("s24"),
        build_key("s23"),
    ]


def test_a_standing_rule_that_is_said_again_is_told_once(tmp_path: Path) -> None:
    rows = _write_rules(tmp_path, _STANDING, "Never deploy to production!")
    assert [row[2] for row in rows] == [build_key("s24")]


def test_only_a_rule_with_a_last_day_is_kept_with_one(tmp_path: Path) -> None:
    dated, standing = _write_rules(tmp_path, _STANDING, "Do not deploy to production today.")
    assert standing[5:] == [[[0, len(_STANDING)]]]
    assert dated[6:] == [["2026-11-24"]]
    texts = {build_key("s23"): _STANDING, build_key("s24"): "Do not deploy to production today."}
    told = rules.read_binding_rules(
        str(tmp_path), [str(_SHOP)], lambda _, key: [f"User: {texts[key]}"], with_silenced=True
    )
    assert [(rule.text, rule.until) for rule in told] == [
        (texts[build_key("s24")], "2026-11-24"),
        (_STANDING, ""),
    ]


def test_a_rule_of_a_project_binds_elsewhere_only_where_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lasting_turns, "judge_turn_worth", lambda text, vector, model: 0.9)
    monkeypatch.setattr(lasting_turns, "about_user", lambda text, vector, model: 0.9)
    everywhere = "In all my projects, never deploy to production."
    assert len(_write_rules(tmp_path, "Never deploy to staging.", everywhere)) == 2
    assert [row[1:3] for row in _read_rows(tmp_path, Scope(USER_SCOPE))] == [
        [str(_SHOP), build_key("s24")]
    ]
    _write_rules(tmp_path, everywhere, "You can deploy to production again.")
    assert _read_rows(tmp_path, Scope(USER_SCOPE)) == []


def test_what_is_forbidden_in_a_project_is_remembered_elsewhere_only_where_it_is_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lasting_turns, "judge_turn_worth", lambda text, vector, model: 0.9)
    monkeypatch.setattr(lasting_turns, "about_user", lambda text, vector, model: 0.9)
    monkeypatch.setattr(rule_readings, "SAID", 0.9)
    own = "Don't deploy to production before noon, I sleep late."
    _write_rules(tmp_path, "Never deploy to staging.", own)
    rows = json.loads(Path(lasting_file(str(tmp_path), USER_SCOPE)).read_text())
    assert [row[3] for row in rows] == [build_key("s24")]
