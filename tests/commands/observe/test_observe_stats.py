"""What observing cost, for people, for programs and for Prometheus."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from gieok.commands import load_command
from gieok.commands.command import Style
from gieok.commands.encode import encode
from gieok.commands.observe.exposition import Metric, MetricSample, format_exposition
from gieok.commands.observe.prices import ModelPrices, Price
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.model.conversation import Run, Usage
from gieok.model.memory import Scope
from gieok.testing.clock import ManualClock

_NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
_DAY = _NOW.date()
_USAGE = Usage(calls=3, input_tokens=2_000_000, output_tokens=100_000, failures=1, seconds=1.5)
_SAMPLE = re.compile(r'[a-z_]+(\{[a-z]+="[^"\n]*"(,[a-z]+="[^"\n]*")*\})? -?\d+(\.\d+)?(e-\d+)?')


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    for name, value in {
        "GIEOK_HOME": tmp_path / "home",
        "GIEOK_EMBEDDER": "none",
        "GIEOK_OBSERVE_AGENTS": "none",
        "GIEOK_OBSERVE_MODEL": "gemini:gemini-3.5-flash-lite",
    }.items():
        monkeypatch.setenv(name, str(value))
    opened = open_call({}, clock=ManualClock(_NOW), zone=UTC)
    opened.home.journal.charge(_DAY, "observer", _USAGE)
    opened.home.journal.charge(_DAY - timedelta(days=30), "observer", _USAGE)
    yield opened
    opened.home.journal.close()
    opened.home.store.close()


def _run(model: str, at: datetime = _NOW) -> Run:
    return Run(Scope("agent:main"), "observe", "observation", at, 0, 1, 1, 10, 1, 1, model)


def test_a_day_costs_what_its_model_costs(call: Call) -> None:
    result = load_command("observe stats")(call)
    assert encode(result)["dollars"] == {"2026-11-22": 0.85}
    assert "2026-11-22: $0.8500" in load_command("observe stats").present(
        result, Style("en", False)
    )


def test_the_text_for_prometheus_is_well_formed_and_counts_all_days(call: Call) -> None:
    result = load_command("observe stats")(call, prometheus=True)
    lines = load_command("observe stats").present(result, Style("en", False)).splitlines()
    assert all(_SAMPLE.fullmatch(line) for line in lines if not line.startswith("#"))
    assert 'gieok_model_cost_dollars_total{role="observer"} 1.7' in lines
    assert 'gieok_model_failures_total{role="observer"} 2' in lines
    assert "# TYPE gieok_model_input_tokens_total counter" in lines
    assert 'gieok_backlog_tokens{scope="agent:main"} 0' in lines
    helped = [line.split()[2] for line in lines if line.startswith("# HELP")]
    assert len(helped) == len(set(helped))


def test_a_label_is_escaped_and_a_metric_without_samples_left_out() -> None:
    text = format_exposition(
        [Metric("a", "A.", (MetricSample(0.25, {"x": 'q"\\\n'}),)), Metric("b", "B.", ())]
    )
    assert text == '# HELP a A.\n# TYPE a gauge\na{x="q\\"\\\\\\n"} 0.25'


@pytest.mark.parametrize(
    ("configured", "own", "runs", "day", "expected"),
    [
        ("openai:no-one-knows", None, [], _DAY, None),
        ("rules", None, [], _DAY, None),
        ("gemini:gemini-2.5-flash", None, [], _DAY, 0.85),
        ("openai:no-one-knows", Price(1, 10), [], _DAY, 3.0),
        ("openai:no-one-knows", None, [_run("gemini:gemini-2.5-flash")], _DAY, 0.85),
        (
            "gemini:gemini-2.5-flash",
            None,
            [_run("openai:x"), _run("gemini:gemini-2.5-flash")],
            _DAY,
            None,
        ),
        ("gemini:gemini-3.1-pro-preview", None, [], _DAY, 5.2),
        ("anthropic:claude-haiku-4-5", None, [], _DAY, 2.5),
        ("openai:gpt-5", None, [], _DAY, 3.5),
        ("ollama:gpt-5", None, [], _DAY, None),
        ("gemini:gemini-3.8-flash", None, [], date(2026, 12, 31), 1.875),
        ("gemini:gemini-3.8-flash", None, [], date(2027, 1, 1), 3.75),
    ],
)
def test_a_cost_is_claimed_where_the_price_is_known(
    configured: str, own: Price | None, runs: list[Run], day: date, expected: float | None
) -> None:
    costs = ModelPrices({"observer": configured}, own).costs({(day, "observer"): _USAGE}, runs)
    assert costs.get((day, "observer")) == expected
