"""The scorers of the public boards score as the boards' authors do, on inputs of our own."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import board_dialogues as dialogues
import board_precision as precision
import board_proactive as proactive
import board_realmem as realmem
import memaware

_DEFAULTS = {
    "user_id": "test-user",
    "type": "entity",
    "aliases": [],
    "why_it_matters": "",
    "scope": ["domain:garden"],
    "pinned": False,
    "superseded_by": None,
    "resolved_at": None,
}


def _believe(name: str, content: str, **more: object) -> dict[str, Any]:
    return {**_DEFAULTS, "_id": name, "canonical_name": name, "content": content, **more}


_BELIEFS = [
    _believe("shears", "The shears hang behind the door.", aliases=["secateurs"]),
    _believe("bed", "Beans stand in the north bed."),
    _believe("needs", "The bed needs shears.", type="relation", participants=["bed", "ask"]),
    _believe("rule", "No poison.", pinned=True),
    _believe("ask", "Fence or hedge?", type="open_question", pinned=True),
    _believe("theirs", "Gnomes.", user_id="other-user"),
]


def _case(query: str, only: Sequence[str], **more: Any) -> dict[str, Any]:
    return {
        "caseId": query or "empty",
        "category": "Alias resolution",
        "scope": ["domain:garden"],
        "query": query,
        "expect": {"relevantBeliefs": {"shouldOnlyInclude": list(only)}},
        **more,
    }


_CASES = [
    _case("secateurs?", ["shears"]),
    _case("", []),
    _case("tax returns", [], category="Scope disambiguation"),
    _case("what needs shears?", ["needs", "bed", "ask"]),
]
_TURN = {
    "turnIndex": 0,
    "scope": ["domain:garden"],
    "userMessage": "where are the loppers?",
    "expect": {
        "relevantBeliefs": {"mustInclude": ["rule"]},
        "noiseCheck": {"mustNotSurface": ["bed"]},
    },
}


def _board() -> precision.Board:
    return precision.Board(_BELIEFS, _CASES, [{"caseId": "talk", "turns": [_TURN]}])


class _Fixed(precision.Nothing):
    """A system that finds the same for every question."""

    def __init__(self, *names: str) -> None:
        self._names = names

    def search(self, user: str, domain: str, question: str, limit: int) -> Sequence[str]:
        return self._names[:limit]


def test_the_expected_answers_pass_and_nothing_passes_where_nothing_is_expected() -> None:
    board = _board()
    oracle = precision.summarise(precision.run_cases(board, precision.Oracle(board)))
    nothing = precision.summarise(precision.run_cases(board, precision.Nothing()))
    assert (oracle["passed"], oracle["active"]) == (4, 2)
    assert (oracle["structural"], oracle["trivially_empty"]) == (1, 1)
    assert (oracle["precision"], oracle["recall"]) == (1.0, 1.0)
    assert (nothing["passed"], nothing["active"]) == (2, 0)
    assert (nothing["precision"], nothing["recall"]) == (0.0, 0.0)


def test_a_found_relation_brings_its_participants_also_an_open_question() -> None:
    harness = precision.Harness(_BELIEFS, _Fixed("needs"))
    context = harness.build_context("test-user", ["domain:garden"], "what needs shears?", {})
    assert context.relevant == ["needs", "bed", "ask"]
    assert context.pinned == ["rule"]
    assert context.questions == ["ask"]


def test_pinned_beliefs_take_the_places_first_and_are_not_found_again() -> None:
    harness = precision.Harness(_BELIEFS, _Fixed("shears", "rule", "unknown", "shears", "bed"))
    context = harness.build_context("test-user", ["domain:garden"], "?", {})
    assert (context.pinned, context.relevant) == (["rule"], ["shears", "bed"])
    harness = precision.Harness(_BELIEFS, _Fixed("shears", "bed"))
    context = harness.build_context("test-user", ["domain:garden"], "?", {"maxBeliefs": 2})
    assert (context.pinned, context.relevant) == (["rule"], ["shears"])


def test_a_pass_with_nothing_right_in_it_is_no_active_one() -> None:
    expect = {"relevantBeliefs": {"mustExclude": ["theirs"]}}
    case = {**_CASES[0], "category": "Cross-user isolation", "expect": expect}
    outcome = precision.score_case(case, precision.Context("", [], ["bed"], []), set())
    summary = precision.summarise([outcome])
    assert (summary["passed"], summary["active"], summary["structural"]) == (1, 0, 1)
    assert summary["precision"] == 0.0


def test_one_belief_too_many_fails_a_case_and_halves_its_precision() -> None:
    context = precision.Context("", [], ["shears", "bed"], [])
    outcome = precision.score_case(_CASES[0], context, {"rule"})
    assert outcome.failures == ["unexpected: bed"]
    assert (outcome.precision, outcome.recall) == (0.5, 1.0)
    second = precision.score_case(
        _CASES[0], precision.Context("", [], ["bed", "shears"], []), {"rule"}
    )
    empty = precision.score_case(_CASES[1], precision.Context("", [], ["bed"], []), {"rule"})
    assert precision.count_first_right([outcome, second, empty]) == {"right": 1, "cases": 2}


def test_an_empty_answer_where_nothing_is_expected_counts_in_no_mean() -> None:
    outcome = precision.score_case(_CASES[1], precision.Context("", [], [], []), set())
    assert not outcome.failures
    assert outcome.precision is None
    assert outcome.recall is None


@pytest.mark.parametrize(
    ("expect", "failure"),
    [
        ({"relevantBeliefs": {"mustExclude": ["rule"]}}, "forbidden: rule"),
        ({"relevantBeliefs": {"orderedBefore": [["bed", "shears"]]}}, "order: bed, shears"),
        ({"relevantBeliefs": {"maxCount": 1}}, "too many"),
        ({"pinnedFacts": {"mustExclude": ["rule"]}}, "pinnedFacts with rule"),
        ({"openQuestions": {"mustInclude": ["ask"]}}, "openQuestions without ask"),
        ({"personaPrelude": {"isNull": True}}, "prelude not empty"),
        ({"personaPrelude": {"contains": ["terse"]}}, "prelude without terse"),
    ],
)
def test_each_expectation_can_fail(expect: Mapping[str, Any], failure: str) -> None:
    context = precision.Context("You like tea.", ["rule"], ["shears", "bed"], [])
    outcome = precision.score_case({**_CASES[0], "expect": expect}, context, set())
    assert outcome.failures == [failure]


def test_in_a_session_a_pinned_belief_is_a_hit_and_noise_fails() -> None:
    context = precision.Context("", ["rule"], ["bed"], [])
    outcome = precision.score_turn({"caseId": "talk"}, _TURN, context)
    assert outcome.failures == ["noise: bed"]
    assert (outcome.precision, outcome.recall, outcome.drift) == (1.0, 1.0, 0.0)


def test_a_report_whose_author_counts_otherwise_is_named(tmp_path: Path) -> None:
    reports = tmp_path / "test-results" / "baseline"
    reports.mkdir(parents=True)
    found = {"pinnedBeliefs": ["rule"], "relevantBeliefs": [], "retrievedQuestions": ["ask"]}
    summary = {
        "totalPassed": 3,
        "totalCases": 4,
        "meanPrecision": 0.0,
        "meanRecall": 0.0,
        "passTypes": {"activeRetrieval": 0, "structural": 1, "triviallyEmpty": 1},
    }
    rows = [{"caseId": case["caseId"], **found} for case in _CASES]
    report = {"retrieval": summary, "cases": rows}
    (reports / "retrieval-report-nobody.json").write_text(json.dumps(report))
    checked = precision.check_scorer(tmp_path, _board())
    assert checked["differing"] == ["nobody passed: 2, its author 3"]


def test_concepts_are_mentioned_by_their_letters() -> None:
    text = "Every friday: **Tea-House**, then home."
    assert proactive.count_mentioned(["Tea house", "Friday", "Bakery"], text) == pytest.approx(
        2 / 3
    )
    assert proactive.find_recall(["1/2", "1/3", "2/1"], frozenset(("1/3", "9/9")), 2) == 0.5


def test_the_turns_that_plant_a_question_s_pairs_are_its_gold(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "garden"
    folder.mkdir(parents=True)
    rows = [("user", "Beans on Friday.", ["time_01"]), ("assistant", "Noted.", [])]
    turns = [
        {"turn_id": n, "role": role, "content": text, "timestamp": "2026-03-01T09:00:00"}
        | {"planted_pairs": pairs}
        for n, (role, text, pairs) in enumerate(rows, 1)
    ]
    sessions = [{"session_id": 7, "turns": turns}]
    question = {
        "question": "Friday again.",
        "trigger_type": "Time-related memory association",
        "difficulty": "easy",
        "candidate_set": [{"concept": "Beans"}],
        "source_pairs": ["time_01", "time_99"],
    }
    (folder / "step4_conversations.json").write_text(json.dumps(sessions))
    (folder / "step5_proactive_questions.json").write_text(json.dumps([question]))
    person = proactive.load_person(tmp_path, "garden")
    (asked,) = person.questions
    assert (asked.kind, asked.gold, asked.gold_sessions) == ("temporal", {"7/1"}, {"7"})
    assert person.begun == {"7": "2026-03-01T09:00:00+00:00"}
    assert [turn["text"] for turn in person.rows(["7"])[0]["turns"]] == [
        text for _, text, _ in rows
    ]


def _dialogue(name: str, *turns: Mapping[str, Any]) -> dict[str, Any]:
    return {"session_identifier": name, "session_uuid": f"u-{name}", "dialogue_turns": turns}


def _user(text: str, *, is_query: bool = True) -> dict[str, Any]:
    return {"speaker": "User", "content": text, "is_query": is_query}


def _assistant(**used: Any) -> dict[str, Any]:
    return {"speaker": "Assistant", "content": "Here.", **used}


_DIALOGUES = [
    _dialogue("a", _user("Beans.", is_query=False), _assistant()),
    _dialogue(
        "b",
        _user("Which bed?"),
        _assistant(memory_session_uuids=["u-a", "u-lost"], memory_used=[{"session_uuid": "u-c"}]),
        _user("And the fence?"),
        _assistant(memory_used=[{"session_uuid": "u-c"}, "text"]),
    ),
    _dialogue("c", _user("Bye."), _assistant(memory_session_uuids=["u-lost"])),
]


def test_gold_are_the_sessions_that_the_next_answer_used_future_ones_too() -> None:
    assert realmem.find_gold(_DIALOGUES) == {"Which bed?": {"a"}, "And the fence?": {"c"}}


def test_the_first_two_places_gain_the_same_and_unknown_sessions_take_none() -> None:
    gold, corpus = frozenset("ab"), frozenset("abcdef")
    perfect = realmem.score_ranking(["a", "b"], gold, corpus, 5)
    assert perfect == {"recall_any@5": 1.0, "recall_all@5": 1.0, "ndcg@5": 1.0}
    late = realmem.score_ranking(["c", "lost", "a", "d", "b"], gold, corpus, 3)
    assert late == {"recall_any@3": 1.0, "recall_all@3": 0.0, "ndcg@3": 0.5}
    assert realmem.score_ranking([], gold, corpus, 5)["ndcg@5"] == 0.0
    third = realmem.score_ranking(["c", "d", "a"], frozenset("a"), corpus, 5)
    assert third["ndcg@5"] == pytest.approx(1 / 1.5849625)


class _Listener(realmem.Person):
    """Notes what was known when a message was asked."""

    def __init__(self) -> None:
        self.known = list[str]()
        self.asked = dict[str, list[str]]()

    def add(self, dialogue: Mapping[str, Any]) -> None:
        self.known.append(dialogue["session_identifier"])

    def ask(self, question: str, way: str) -> list[str]:
        self.asked[question] = list(self.known)
        return ["a"]

    def rank_by_cosine(self, question: str) -> list[str]:
        return ["b", "a"]

    def recall(self, question: str) -> tuple[frozenset[str], int]:
        return frozenset("a"), 9


def test_a_message_is_asked_before_its_own_session_is_known() -> None:
    person = _Listener()
    answers = list(realmem.ask_person(_DIALOGUES, person))
    assert person.asked == {"Which bed?": ["a"], "And the fence?": ["a"]}
    result = realmem.summarise(answers)
    assert result["messages"] == 2
    assert result["search"]["recall_any@5"] == 0.5
    assert result["possible"]["recall_any@5"] == 0.5
    assert result["hook"]["hit"] == 0.5


def _write_json(file: Path, value: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value), encoding="utf-8")


def test_locomo_is_read_with_captions_and_with_evidence_however_it_is_written(
    tmp_path: Path,
) -> None:
    turns = [
        {"speaker": "Ada", "dia_id": "D1:1", "text": "Look!", "blip_caption": "a goat"},
        {"speaker": "Bo", "dia_id": "D1:2", "text": "Nice."},
    ]
    asked = [
        {"question": "What?", "answer": "a goat", "evidence": ["D1:1; D:1:2"], "category": 4},
        {"question": "Where?", "evidence": ["D1:2"], "category": 5},
    ]
    talk = {"session_1_date_time": "1 May", "session_1": turns}
    _write_json(
        tmp_path / "data" / "locomo10.json",
        [{"sample_id": "talk", "conversation": talk, "qa": asked}],
    )
    (group,) = dialogues.read_locomo(tmp_path)
    assert [item["text"] for item in group.items] == [
        "Ada: Look! [shared image: a goat]",
        "Bo: Nice.",
    ]
    assert [(one["type"], one["gold"]) for one in group.questions] == [
        ("single-hop", ["D1:1", "D1:2"]),
        ("adversarial", ["D1:2"]),
    ]


def test_beam_is_read_with_its_sources_however_deep_and_chats_in_their_order(
    tmp_path: Path,
) -> None:
    for name in ("10", "9"):
        place = tmp_path / "chats" / "100K" / name
        message = {"role": "user", "id": 7, "content": f"In {name}."}
        _write_json(place / "chat.json", [{"batch_number": 1, "turns": [[message]]}])
        asked = {
            "abstention": [{"question": "Why?"}],
            "knowledge_update": [{"question": "When?", "source_chat_ids": {"old": [7], "new": 8}}],
        }
        _write_json(place / "probing_questions" / "probing_questions.json", asked)
    groups = list(dialogues.read_beam(tmp_path))
    assert [group.items[0]["text"] for group in groups] == ["User: In 9.", "User: In 10."]
    assert [(one["type"], one["gold"]) for one in groups[0].questions] == [
        ("adversarial", []),
        ("knowledge_update", ["7", "8"]),
    ]


def test_memaware_is_read_from_its_checkout(tmp_path: Path) -> None:
    _write_json(
        tmp_path / "data" / "questions.json",
        [
            {
                "question_id": "q",
                "difficulty": "hard",
                "question": "Help?",
                "answer_session_ids": ["s1"],
            }
        ],
    )
    day = tmp_path / "data" / "sessions" / "2023-04-01.md"
    day.parent.mkdir()
    day.write_text(
        "# 2023-04-01\n\n## Session s1\nSession Date: 2023-04-01\n\n"
        "User: A goat.\nIn two lines.\nAssistant: Fine.\n\n"
        "## Session s2\nSession Date: 2023-04-02\n\nUser: Bye.\n",
        encoding="utf-8",
    )
    sessions, prompts = memaware.read_board(tmp_path)
    assert [(row["id"], row["at"]) for row in sessions] == [
        ("s1", "2023-04-01"),
        ("s2", "2023-04-02"),
    ]
    assert sessions[0]["turns"] == [
        {"role": "user", "text": "A goat.\nIn two lines."},
        {"role": "assistant", "text": "Fine."},
    ]
    assert prompts == [{"id": "q", "difficulty": "hard", "prompt": "Help?", "gold": ["s1"]}]


def test_a_gold_session_has_the_place_at_which_it_comes_first() -> None:
    rows = [{"prompt": "a", "difficulty": "easy", "gold": ["s2", "s3"]}]
    places = memaware.place_gold(lambda _: ["s1", "s3", "s2"], rows, "prompt", "difficulty")
    assert (places.hit(1), places.hit(5)) == (0.0, 1.0)
    nowhere = memaware.place_gold(lambda _: ["s1"], rows, "prompt", "difficulty")
    assert nowhere.hit(5) == 0.0


def test_words_alone_name_a_session_once_by_its_best_turn() -> None:
    turns = [{"role": "user", "text": "a goat"}, {"role": "user", "text": "a goat, my goat, goat"}]
    plain = memaware.index_plainly(
        [{"id": "s1", "turns": turns}, {"id": "s2", "turns": turns[:1]}, {"id": "s3", "turns": []}]
    )
    assert memaware.rank_by_words(plain, "goat?") == ["s1", "s2"]
    plain.close()
