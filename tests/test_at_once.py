"""Many callers at once: of equal calls one creates and the others know, of different calls all are
kept.

Each row of `at_once_writers` is a writer that looks at something before it writes. It is called by
threads, all of which look before one of them writes (`at_once.Gate`), and by processes. A new
writer is a row.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import at_once
import pytest
from at_once import Asked
from at_once_writers import (
    PROCESSES,
    RULE,
    THREADS,
    WRITERS,
    Place,
    list_calls,
    make_place,
    remember_rule,
)

from gieok import fs
from gieok.hook.inject import Injection
from gieok.hook.window import ContextWindow, session_file
from gieok.places.project import project_scope
from gieok.surfaces.hook import trail


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made, environment = make_place(tmp_path)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(made.project)
    return made


@pytest.fixture(scope="module")
def others() -> Iterator[at_once.Processes]:
    with at_once.processes() as found:
        yield found


@pytest.mark.parametrize("name", WRITERS)
def test_threads_that_all_look_before_one_writes_lose_nothing_and_repeat_nothing(
    place: Place, name: str
) -> None:
    calls, before = list_calls(place, WRITERS[name], THREADS)
    answers = at_once.in_threads([lambda asked=asked: at_once.answer(asked) for asked in calls])  # type: ignore[misc]
    WRITERS[name].check(place, answers, before)


@pytest.mark.parametrize("name", WRITERS)
def test_processes_lose_nothing_and_repeat_nothing(
    place: Place, others: at_once.Processes, name: str
) -> None:
    calls, before = list_calls(place, WRITERS[name], PROCESSES)
    WRITERS[name].check(place, others.run(calls), before)


def test_prompts_of_one_session_keep_all_that_was_injected(place: Place) -> None:
    windows = [ContextWindow(str(place.home), "claude-code", "s") for _ in range(THREADS)]
    works = [
        lambda n=n, one=one: one.keep("prompt", Injection(f"memory number {n}", [], 3), float(n))  # type: ignore[misc]
        for n, one in enumerate(windows)
    ]
    at_once.in_threads(works)
    row = json.loads(Path(session_file(str(place.home), "claude-code", "s")).read_text())
    assert sorted(row["injected"]) == [f"memory number {n}" for n in range(THREADS)]
    assert len(row["earlier"]) == THREADS - 1


def test_a_line_that_is_added_while_a_log_is_rewritten_is_kept(place: Place) -> None:
    log = place.home / "hook" / "calls.jsonl"
    trail.count_hook_call(str(place.home), {"event": "secret"})
    adds = [
        lambda n=n: trail.count_hook_call(str(place.home), {"event": f"call {n}"})
        for n in range(THREADS)
    ]  # type: ignore[misc]
    at_once.in_threads(
        [lambda: fs.rewrite_lines(log, lambda line: "" if "secret" in line else line), *adds]
    )
    events = [json.loads(line)["event"] for line in log.read_text().splitlines()]
    assert sorted(events) == [f"call {n}" for n in range(THREADS)]


def test_a_log_that_two_find_too_long_is_put_aside_once(place: Place) -> None:
    log = place.home / "daemon.log"
    fs.append_private_text(log, "old\n" * 100)
    at_once.in_threads(
        [lambda n=n: fs.append_private_text(log, f"{n}\n", 100) for n in range(THREADS)]
    )  # type: ignore[misc]
    said = (place.home / "daemon.log.1").read_text() + (log.read_text() if log.exists() else "")
    assert sorted(said.replace("old\n", "").split()) == [str(n) for n in range(THREADS)]


def test_calibrations_of_several_models_are_all_kept(place: Place) -> None:
    from gieok.home.rerankers import calibrations, keep_calibration
    from gieok.ranking.calibration import Calibration

    place.home.mkdir()
    names = [f"model-{n}" for n in range(THREADS)]
    works = [
        lambda name=name: keep_calibration(
            place.home, name, Calibration(slope=1.0, shift=0.0, questions=50)
        )  # type: ignore[misc]
        for name in names
    ]
    at_once.in_threads(works)
    assert sorted(calibrations(place.home)) == names


def test_keys_of_several_services_are_all_kept(place: Place) -> None:
    context = place.context()
    names = ["OPENAI_API_KEY", "JINA_API_KEY", "GEMINI_API_KEY", "VOYAGE_API_KEY"]
    at_once.in_threads(
        [lambda name=name: context.home.keys.keep({name: "value-of-it"}) for name in names]
    )  # type: ignore[misc]
    lines = (place.home / ".env").read_text().split()
    assert sorted(line.partition("=")[0] for line in lines) == sorted(names)


def test_what_is_forgotten_is_not_written_again_by_an_edit_that_read_it_before(
    place: Place,
) -> None:
    handle = remember_rule(place)
    folder = str(place.project)
    asked = [
        Asked("forget", {"match": RULE, "yes": True}, folder),
        *(
            Asked("edit", {"handle": handle, "text": [f"We lint with tool {n}."]}, folder)
            for n in range(3)
        ),
    ]
    answers = at_once.in_threads([lambda one=one: at_once.answer(one) for one in asked])  # type: ignore[misc]
    assert not answers[0].code
    texts = [file.read_text() for file in place.records()]
    assert not [text for text in texts if RULE in text]
    assert len(texts) <= 1
    assert project_scope(folder)
