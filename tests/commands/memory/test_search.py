"""What a user gets of `gieok search`: from where, of which days, how sure, and what is said where
nothing is found.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from contexts import called_in, opened_home

from gieok.commands.command import Style
from gieok.commands.encode import encode
from gieok.commands.memory.hits import (
    SearchHit,
    SearchResult,
    judge_hit_levels,
    render_search,
)
from gieok.commands.memory.index import index_memory as index
from gieok.commands.memory.remember import remember_record as remember
from gieok.commands.memory.search import search_memory as search
from gieok.errors import BadRequest, NotIndexed
from gieok.home.call import Call
from gieok.model.memory import Scope
from gieok.surfaces.cli import main
from gieok.testing import ManualClock
from gieok.testing.embedding_server import EmbeddingServer

_EN, _KO = Style("en", colour=False), Style("ko", colour=False)
_TODAY = ManualClock().now().date()
_PAYMENTS = """# Payments

The refunds are settled on Tuesdays.

## Provider

We chose Stripe for the card payments.
Its webhook secret is rotated in March.

## 정산

정산은 매월 열흘에 끝낸다.
"""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Return a folder of one long note and two of days."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "payments.md").write_text(_PAYMENTS, encoding="utf-8")
    for days, text in (
        (30, "The lighthouse lamp was green."),
        (2, "The lighthouse lamp is white."),
    ):
        name = f"{_TODAY - timedelta(days=days)}.md"
        (folder / name).write_text(f"{text}\n", encoding="utf-8")
    return folder


@pytest.fixture
def call(tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    for name in ("shop", "blog"):
        (tmp_path / name / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    with opened_home(tmp_path / "home", monkeypatch, ManualClock()) as opened:
        index(opened, paths=[str(notes)])
        yield opened


def _search(call: Call, query: str, **fields: object) -> SearchResult:
    return search(call, query=query.split(), **({"min_score": 0.0} | fields))


def _first(call: Call, query: str, **fields: object) -> SearchHit:
    return _search(call, query, **fields).results[0]


def _snippets(result: SearchResult) -> str:
    return "\n".join(hit.snippet for hit in result.results)


def test_a_hit_names_the_file_the_line_that_answers_and_its_heading(
    call: Call, notes: Path
) -> None:
    hit = _first(call, "when is the webhook secret rotated")
    assert (hit.file, hit.line) == (str(notes / "payments.md"), 8)
    assert hit.citation.startswith("payments.md#L")
    assert hit.heading == "Payments"
    shown = render_search(_search(call, "when is the webhook secret rotated"), _EN).split("\n")[0]
    assert "payments.md:8" in shown
    assert hit.handle in shown


def test_of_lines_that_hold_as_many_words_the_first_is_named(call: Call) -> None:
    assert _first(call, "card webhook").line == 7


def test_a_file_that_is_gone_is_not_named(call: Call, notes: Path) -> None:
    notes.rename(notes.with_name("away"))
    hit = _first(call, "when is the webhook secret rotated")
    assert (hit.file, hit.line) == (None, None)
    assert hit.citation in render_search(_search(call, "webhook secret"), _EN)
    assert not {"file", "line"} & encode(_search(call, "webhook secret"))["results"][0].keys()


def test_a_record_of_a_project_is_found_in_it_and_elsewhere_only_where_everything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("shop", "blog"):
        (tmp_path / name / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "shop")
    with opened_home(tmp_path / "home", monkeypatch, ManualClock()) as shop:
        remember(shop, text=["Canaries go out before noon."])
        remember(shop, text=["My own canaries sing."], user=True)
        assert "before noon" in _snippets(_search(shop, "canaries"))
    monkeypatch.chdir(tmp_path / "blog")
    with opened_home(tmp_path / "home", monkeypatch, ManualClock()) as blog:
        elsewhere = _snippets(_search(blog, "canaries"))
        assert "before noon" not in elsewhere
        assert "sing" in elsewhere
        assert "before noon" in _snippets(_search(blog, "canaries", everywhere=True))


def test_a_scope_without_memory_is_refused_by_name_with_those_that_have_some(
    tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with opened_home(tmp_path / "home", monkeypatch, ManualClock()) as opened:
        with pytest.raises(NotIndexed, match=r"nothing is indexed in any scope"):
            _search(opened, "lamp", everywhere=True)
        index(opened, paths=[str(notes)])
    with (
        opened_home(tmp_path / "home", monkeypatch, ManualClock(), SCOPE="agent:other") as other,
        pytest.raises(
            NotIndexed,
            match=r"here \(agent other\); memory is in: yours, in all projects \(agent:main\)",
        ),
    ):
        _search(other, "lamp")


def test_what_is_said_to_a_character_is_not_among_everything(call: Call) -> None:
    store = call.home.store
    for entry in store.entries(Scope("agent:main"), list(store.hashes(Scope("agent:main")))):
        for path in ("user:kim/character:mina", "agent:work"):
            store.put([entry._replace(document=replace(entry.document, scope=Scope(path)))])
    found = _search(call, "webhook secret", everywhere=True)
    assert {hit.scope.path for hit in found.results} == {"agent:main", "agent:work"}


@pytest.mark.parametrize(
    ("since", "until", "found"),
    [
        (2, 0, ["white"]),
        (1, 0, []),
        (30, 3, ["green"]),
        (31, 31, []),
        (30, 30, ["green"]),
        (2, 2, ["white"]),
        (30, 2, ["green", "white"]),
    ],
)
def test_both_days_of_a_filter_are_in_it(
    call: Call, since: int, until: int, found: list[str]
) -> None:
    first, last = (str(_TODAY - timedelta(days=days)) for days in (since, until))
    said = _snippets(_search(call, "lighthouse lamp", since=first, until=last))
    assert [word for word in ("green", "white") if word in said] == found
    listed = _search(call, "", since=first, until=last)
    assert [word for word in ("green", "white") if word in _snippets(listed)] == found


def test_a_list_of_days_is_shown_by_days_and_is_not_called_unsure(call: Call) -> None:
    result = _search(call, "", since=str(_TODAY - timedelta(days=40)))
    shown = render_search(result, _EN)
    older, newer = (str(_TODAY - timedelta(days=days)) for days in (30, 2))
    lines = [line for line in shown.split("\n") if line and not line.startswith(" ")]
    assert [line for line in lines if line in (older, newer)] == [older, newer]
    assert "unsure" not in shown
    assert result.days
    assert (result.days.from_, result.days.to) == (_TODAY - timedelta(days=40), _TODAY)


def test_a_source_leaves_the_others_out(call: Call) -> None:
    assert _first(call, "webhook secret", source="memory").source == "memory"
    assert not _search(call, "webhook secret", source="sessions").results
    assert not _search(call, "webhook secret", source="observed").results


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"limit": -1}, "limit is -1"),
        ({"limit": 1001}, "limit is 1001"),
        ({"min_score": 1.1}, "min-score is 1.1"),
        ({"min_score": -0.5}, "min-score is -0.5"),
        ({"since": "soon"}, "'soon' is no day"),
        ({"until": "2월 31일"}, "'2월 31일' is no day"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_name(
    call: Call, fields: dict[str, object], said: str
) -> None:
    with pytest.raises(BadRequest, match=said):
        _search(call, "lamp", **fields)


@pytest.mark.parametrize(
    "fields", [{"limit": 1}, {"limit": 1000}, {"min_score": 1.0}, {"min_score": 0.0}]
)
def test_the_ends_of_what_may_be_meant_are_taken(call: Call, fields: dict[str, object]) -> None:
    assert len(_search(call, "lighthouse lamp", **fields).results) <= int(
        str(fields.get("limit", 1000))
    )


def test_a_search_for_nothing_is_refused(call: Call) -> None:
    for query in ("", "  "):
        with pytest.raises(BadRequest, match="query is missing"):
            _search(call, query)


def test_a_limit_keeps_the_best(call: Call) -> None:
    every = _search(call, "lighthouse lamp white")
    assert len(every.results) > 1
    assert [hit.handle for hit in _search(call, "lighthouse lamp white", limit=1).results] == [
        every.results[0].handle
    ]


def test_a_least_score_leaves_out_what_is_below_and_keeps_what_has_it(call: Call) -> None:
    scores = [hit.score for hit in _search(call, "lighthouse lamp white").results]
    best, second = scores[0], scores[1]
    assert best > second
    assert [
        hit.score for hit in _search(call, "lighthouse lamp white", min_score=best).results
    ] == [best]
    assert len(_search(call, "lighthouse lamp white", min_score=second).results) >= 2


def test_what_is_not_high_is_called_unsure_in_both_languages(call: Call) -> None:
    result = _search(call, "lighthouse lamp white")
    for hit in result.results:
        alone = result._replace(results=(hit,))
        is_sure = hit.level == "high"
        assert is_sure == (hit.score >= 0.5)
        assert ("  unsure" in render_search(alone, _EN)) is not is_sure
        assert ("확실하지 않음" in render_search(alone, _KO)) is not is_sure
    assert {hit.level == "high" for hit in result.results} == {True, False}


def test_no_hit_is_sure_by_its_meaning_alone_unless_it_leads(call: Call) -> None:
    hit = _first(call, "lighthouse lamp white")._replace(level="high", heading="Lamp")
    medium, low = hit._replace(level="medium"), hit._replace(level="low")
    alike = "what did the keeper paint"
    assert judge_hit_levels((hit, low, low), alike)[0].level == "high", "it leads"
    assert judge_hit_levels((hit,), alike)[0].level == "high"
    assert judge_hit_levels((hit, medium), alike)[0].level == "medium"
    assert [one.level for one in judge_hit_levels((hit, hit), alike)] == ["medium", "medium"]
    shared = judge_hit_levels((hit, medium), "which lamp")
    assert [one.level for one in shared] == ["high", "medium"], "a word of its heading"


@pytest.fixture
def reranked(
    tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str, int], tuple[SearchHit, ...]]]:
    """Return a search in which a reranker puts a note first that has no word of the question."""
    (notes / "beacon.md").write_text("A beacon shines over the sea.\n", encoding="utf-8")
    service = EmbeddingServer(
        lambda text: [1.0, 0.1, 0.0] if "beacon" in text or "lighthouse" in text else [0.0, 0.1, 1],
        lambda _, text: 0.9 if "beacon" in text else 0.1,
    )
    variables = {
        f"{part}{name}": value
        for part in ("EMBEDDER", "RERANKER")
        for name, value in (("", "compatible"), ("_MODEL", "m"), ("_BASE_URL", service.url))
    }
    with opened_home(tmp_path / "home", monkeypatch, ManualClock(), **variables) as opened:
        index(opened, paths=[str(notes)])
        yield lambda question, limit: _search(opened, question, limit=limit).results
    service.shutdown()
    service.server_close()


def test_how_sure_a_hit_is_does_not_depend_on_how_many_are_asked_for(
    reranked: Callable[[str, int], tuple[SearchHit, ...]],
) -> None:
    question = "lighthouse lamp white"
    every = [hit.level for hit in reranked(question, 20)]
    assert "beacon" in reranked(question, 1)[0].snippet
    assert every[:2] == ["medium", "medium"], "it does not lead, and has no word of the question"
    for limit in (1, 2, 3, 6):
        assert [hit.level for hit in reranked(question, limit)] == every[:limit]


def test_above_hits_that_hardly_answer_stands_that_nothing_surely_answers(call: Call) -> None:
    result = _search(call, "lighthouse lamp white")
    low = result.results[0]._replace(level="low")
    for levels, words in (
        (("low", "low"), "Nothing surely answers that. The nearest are:\n\n"),
        (("low",), "Nothing surely answers that. The nearest is:\n\n"),
        (("low", "medium"), ""),
    ):
        hits = tuple(low._replace(level=level) for level in levels)
        shown = render_search(result._replace(results=hits), _EN)
        assert shown.startswith(f"{words}{low.score:.2f}")


@pytest.mark.parametrize(
    ("levels", "place"),
    [
        (("high", "low", "low"), 1),
        (("high", "low", "medium", "low"), 3),  # what is likely stands above the line
        (("high", "medium"), None),
        (("low", "low"), None),  # the line above all of them says so
    ],
)
def test_a_line_parts_the_last_hits_which_hardly_answer(
    call: Call, levels: tuple[str, ...], place: int | None
) -> None:
    result = _search(call, "lighthouse lamp white")
    hits = tuple(
        result.results[0]._replace(level=level, handle=f"hit-{number}")
        for number, level in enumerate(levels)
    )
    result = result._replace(results=hits)
    for style, words in ((_EN, "more that hardly answer"), (_KO, "답일 것 같지 않은")):
        shown = render_search(result, style)
        if place is None:
            assert words not in shown
        else:
            above = shown.partition(words)[0]
            assert [hit.handle in above for hit in hits] == [
                number < place for number in range(len(hits))
            ]
            assert f"{len(hits) - place}" in next(
                line for line in shown.splitlines() if words in line
            )
    assert encode(result)["results"] == [encode(hit) for hit in hits]


def test_where_nothing_is_sure_enough_the_nearest_is_shown_as_such(call: Call) -> None:
    question = "which lamp is broken in the garage"
    result = _search(call, question, min_score=-1.0)
    assert not result.found
    assert result.nearest == _first(call, question)
    assert result.nearest.level == "low"
    for style, words in (
        (_EN, "Nothing surely answers that. The nearest is:"),
        (_KO, "가장 가까운 것:"),
    ):
        shown = render_search(result, style)
        assert words in shown
        assert result.nearest.snippet in shown
    assert _search(call, question).nearest is None, "who asks for all of it gets it as results"
    assert _search(call, question, min_score=0.9).nearest is None


def test_of_a_redacted_line_it_is_said_whether_the_file_has_it(call: Call, tmp_path: Path) -> None:
    (tmp_path / "notes" / "wifi.md").write_text("wifi password: Tr0ub4dor&3xyz\n", "utf-8")
    index(call, paths=[str(tmp_path / "notes")])
    remember(call, text=["The router password is hunter2Zebra99!"], user=True)
    said = "what is redacted here stands in the file itself"
    hit = _first(call, "wifi password")
    assert "[redacted:" in hit.snippet
    assert hit.has_more_in_file
    assert said in render_search(_search(call, "wifi password", limit=1), _EN)
    kept = _first(call, "router password")
    assert "[redacted:" in kept.snippet
    assert not kept.has_more_in_file


def test_hits_that_hardly_answer_are_none_and_name_what_was_not_looked_at(call: Call) -> None:
    elsewhere = replace(call, scope=Scope("agent:helper"), also=(), is_scope_named=True)
    remember(elsewhere, text=["The garage lamp was changed on Tuesday."])
    question = "which lamp is broken in the garage"
    result = _search(call, question)
    assert {hit.level for hit in result.results} == {"low"}
    assert result.found, "the caller named the score"
    assert not result._replace(has_own_threshold=False).found
    shown = render_search(result, _EN)
    assert shown.startswith("Nothing surely answers that.")
    assert "agent:helper" in shown.partition("But not everything was looked at:")[2]
    assert render_search(result, _KO).endswith("helper (agent:helper)")
    likely = _search(call, "which provider did we choose for the card payments")
    assert likely.found
    assert likely.not_looked_at is None


def test_where_nothing_is_found_the_way_to_what_is_less_sure_is_said(call: Call) -> None:
    result = _search(call, "xylophone", min_score=-1.0)
    assert not result.found
    assert result.nearest is None
    assert (
        render_search(result, _EN)
        == "Nothing found. `--min-score 0` shows lines that are less sure."
    )
    assert render_search(result, _KO).startswith("찾은 것이 없습니다. `--min-score 0`")


def test_explain_adds_up_to_the_score(call: Call) -> None:
    result = _search(call, "when is the webhook secret rotated", explain=True)
    hit = result.results[0]
    assert hit.parts
    assert hit.signals
    assert f"= {sum(hit.parts.values()):+.2f}; 1 / (1 + e^" in render_search(result, _EN)
    plain = _first(call, "when is the webhook secret rotated")
    assert (plain.parts, plain.signals, plain.compared) == (None, None, None)


def test_a_question_in_korean_finds_what_stands_in_korean(call: Call) -> None:
    hit = _first(call, "정산은 매월 언제 끝내?")
    assert "열흘" in hit.snippet
    assert hit.line == 12


def test_what_is_printed_as_json_is_what_was_found(
    call: Call, notes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["search", "webhook", "secret", "--min-score", "0", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    (hit, *_) = printed["results"]
    assert (hit["file"], hit["line"]) == (str(notes / "payments.md"), 8)
    assert hit["status"] == "stands"
    assert "ranked" not in printed
    assert main(["search", "xylophone", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["results"] == []


def test_records_that_nobody_trusts_are_counted_and_not_shown(call: Call, tmp_path: Path) -> None:
    shelf = tmp_path / "shop" / ".gieok" / "memory" / "decision"
    shelf.mkdir(parents=True)
    (shelf / "mallory.md").write_text("Canaries are sent to Mallory.\n", encoding="utf-8")
    result = _search(called_in(call, tmp_path / "shop"), "canaries")
    assert result.waiting == 1
    assert "Mallory" not in _snippets(result)
    assert "gieok trust" in render_search(result, _EN)
    assert _search(call, "canaries").waiting == 0


def test_a_question_is_read_in_the_days_of_who_asks(call: Call) -> None:
    result = _search(call, "what happened on the day before yesterday")
    assert result.days
    assert result.days.from_ == date(2026, 11, 19)
    assert "white" in _snippets(result)
    assert "green" not in _snippets(result)
