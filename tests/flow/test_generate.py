from collections.abc import Iterator
from datetime import UTC, timedelta
from functools import partial
from pathlib import Path

import pytest

from gieok.errors import BudgetReached, DegenerateOutput, GeneratorFailed
from gieok.flow.generate import Asker, spent_tokens
from gieok.model.conversation import Usage
from gieok.ports.models import Prompt
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.clock import ManualClock
from gieok.testing.scripted_generator import Answer, ScriptedGenerator
from gieok.text.echo import MARKER

_PROMPT = Prompt("be brief", "password = hunter2hunter2", 0.3, 100, thinking_tokens=100)
_DOWN = GeneratorFailed("500", worth_retrying=True)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    opened = SqliteJournal(tmp_path / "journal.sqlite")
    yield opened
    opened.close()


def _asker(
    journal: SqliteJournal, *answers: Answer, cap: int = 10_000
) -> tuple[Asker, ScriptedGenerator, list[float]]:
    generator, clock, waited = ScriptedGenerator(*answers), ManualClock(), list[float]()

    def wait(seconds: float) -> None:
        waited.append(seconds)
        clock.advance(timedelta(seconds=seconds))

    return Asker("observer", generator, journal, clock, UTC, wait, cap), generator, waited


def _accept(answer: str) -> str:
    if not answer:
        raise DegenerateOutput("nothing")
    return answer.upper()


def test_what_is_worth_retrying_is_tried_again_after_2_4_and_8_seconds(
    journal: SqliteJournal,
) -> None:
    asker, generator, waited = _asker(journal, _DOWN, _DOWN, _DOWN, "ok")
    assert asker.ask(_PROMPT, _accept) == "OK"
    assert waited == [2, 4, 8]
    (usage,) = journal.usage(ManualClock().now().date()).values()
    assert (usage.calls, usage.failures) == (4, 3)
    asker, generator, waited = _asker(journal, _DOWN)
    with pytest.raises(GeneratorFailed, match="500") as failure:
        asker.ask(_PROMPT, _accept)
    assert len(generator.prompts) == failure.value.tries == 4


def test_what_is_not_worth_retrying_fails_at_once(journal: SqliteJournal) -> None:
    asker, generator, waited = _asker(journal, GeneratorFailed("401"))
    with pytest.raises(GeneratorFailed, match="401"):
        asker.ask(_PROMPT, _accept)
    assert (len(generator.prompts), waited) == (1, [])


def test_all_tries_of_a_question_share_the_time_that_it_has(journal: SqliteJournal) -> None:
    clock = ManualClock()

    def answer_late(prompt: Prompt) -> str:
        clock.advance(timedelta(seconds=4))
        return ""

    generator = ScriptedGenerator(answer_late)
    asker = Asker(
        "doctor", generator, journal, clock, UTC, lambda seconds: None, 10_000, (), timeout_s=6
    )
    with pytest.raises(DegenerateOutput):
        asker.ask(_PROMPT, _accept)
    assert [prompt.timeout_s for prompt in generator.prompts] == [6, 2]
    generator = ScriptedGenerator(answer_late)
    asker = Asker(
        "doctor", generator, journal, clock, UTC, lambda seconds: None, 10_000, (), timeout_s=3
    )
    with pytest.raises(GeneratorFailed, match="scripted:1 did not answer within 3 s"):
        asker.ask(_PROMPT, _accept)
    assert len(generator.prompts) == 1


def test_an_answer_that_is_refused_is_asked_for_once_more(journal: SqliteJournal) -> None:
    assert _asker(journal, "", "fine")[0].ask(_PROMPT, _accept) == "FINE"
    asker, generator, _ = _asker(journal, "", "", "fine")
    with pytest.raises(DegenerateOutput) as failure:
        asker.ask(_PROMPT, _accept)
    assert len(generator.prompts) == failure.value.tries == 2


def test_secrets_never_leave_and_every_prompt_is_marked_as_ours(journal: SqliteJournal) -> None:
    asker, generator, _ = _asker(journal, "ok")
    asker.ask(_PROMPT, _accept)
    assert generator.prompts[0].text == "password = [redacted:password]"
    assert generator.prompts[0].system.startswith(MARKER)


def test_the_cap_of_a_day_is_never_passed(journal: SqliteJournal) -> None:
    asker, generator, _ = _asker(journal, "ok", cap=1_000)
    ask = partial(asker.ask, _PROMPT._replace(text="x" * 300), _accept)
    with pytest.raises(BudgetReached, match="of 1,000 model tokens") as failure:
        list(iter(ask, "never"))
    assert failure.value.tries == 0  # this question was not asked any more
    today = ManualClock().now().date()
    assert spent_tokens(journal, today) <= 1_000
    assert 1 < len(generator.prompts) < 20
    journal.charge(today, "reflector", Usage(calls=1, input_tokens=5))
    assert {role for _, role in journal.usage(today)} == {"observer", "reflector"}
