"""Measures the hook on labelled prompts: precision and recall of each level, and silence.

A label is a line of JSON: {"prompt": "…", "expect": ["decision/use-ruff.md", …]}. Without expected
memories, silence is right. A memory is named by the end of its key.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from gieok.errors import BadRequest
from gieok.hook import levels
from gieok.hook.matches import Match
from gieok.text.redact import redact


class Label(NamedTuple):
    """Prompt, and the memories expected for it."""

    prompt: str
    expect: tuple[str, ...]

    def means(self, key: str) -> bool:
        """Say whether the memory of this key is expected."""
        plain = (name.removeprefix(".gieok/memory/").removesuffix(".md") for name in self.expect)
        return any(f"/{key.removesuffix('.md')}".endswith(f"/{name}") for name in plain)


class LabelDecision(NamedTuple):
    """Outcome of one label: the level and correctness of each shown memory, and the shown keys."""

    label: Label
    shown: tuple[tuple[str, bool], ...]
    keys: tuple[str, ...] = ()

    @property
    def is_right(self) -> bool:
        """Say whether an expected memory was shown, or none where silence is right."""
        return any(right for _, right in self.shown) if self.label.expect else not self.shown


class FailedPrompt(NamedTuple):
    """Prompt with a wrong outcome: the expected memories (none: silence) and the shown memories."""

    prompt: str
    expected: tuple[str, ...]
    shown: tuple[str, ...]


class Level(NamedTuple):
    """Figures of one level.

    `precision`: share of the shown memories that are right. `recall`: share of the answerable
    prompts with a right memory.
    """

    name: str
    shown: int
    precision: float | None
    recall: float | None


class Measured(NamedTuple):
    """Figures of the hook on a labelled set of prompts.

    A prompt is answerable where its label expects a memory. `silence`: share of the unanswerable
    prompts for which no memory was shown.
    """

    answerable: int
    unanswerable: int
    levels: tuple[Level, ...]
    silence: float | None


class Bin(NamedTuple):
    """Memories of similar probability: mean probability, share that was right, and number."""

    said: float
    right: float
    memories: int


def load_prompt_labels(file: Path) -> list[Label]:
    """Return the labels of a file; none if the file is missing.

    Raises BadRequest, which names the line.
    """
    try:
        # Split only at \n: a text may contain other line ends.
        lines = file.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(
            "cannot read the labels {file!r}: {error}",
            file=file,
            error=error,
            hint="make it a readable UTF-8 file, or name another",
        ) from error
    return [
        _parse_prompt_label(file, number, line)
        for number, line in enumerate(lines, 1)
        if line.strip()
    ]


def _parse_prompt_label(file: Path, number: int, line: str) -> Label:
    try:
        row = json.loads(line)
        prompt, expect = row["prompt"], row.get("expect", [])
        if (
            not isinstance(prompt, str)
            or not isinstance(expect, list)
            or not all(isinstance(e, str) for e in expect)
        ):
            # One message.
            raise TypeError("`prompt` must be a text and `expect` a list of texts")  # noqa: TRY301
        return Label(prompt, tuple(expect))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadRequest(
            "{file!r} line {number} is not a label: {error}",
            file=file,
            number=number,
            error=error,
            hint='a label is {"prompt": "…", "expect": ["category/name.md"]}',
        ) from error


def append_prompt_label(file: Path, label: Label) -> None:
    """Append a redacted label to a file, which is created if missing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    torn = file.exists() and file.read_bytes()[-1:] not in (b"", b"\n")
    row = {"prompt": redact(label.prompt), "expect": [redact(name) for name in label.expect]}
    with file.open("a", encoding="utf-8") as stream:
        stream.write("\n" if torn else "")
        stream.write(json.dumps(row, ensure_ascii=False) + "\n")


def outcomes(
    labels: Iterable[Label], recall: Callable[[str], Sequence[Match]]
) -> list[LabelDecision]:
    """Return the hook's decision for the prompt of each label."""
    return [
        _build_label_decision(
            label, [match for match in recall(label.prompt) if match.level != levels.LOW]
        )
        for label in labels
    ]


def _build_label_decision(label: Label, shown: Sequence[Match]) -> LabelDecision:
    return LabelDecision(
        label,
        tuple((match.level, label.means(match.key)) for match in shown),
        tuple(match.key for match in shown),
    )


def select_failed_prompts(found: Sequence[LabelDecision]) -> tuple[FailedPrompt, ...]:
    """Return the prompts whose outcome was wrong."""
    return tuple(
        FailedPrompt(decision.label.prompt, decision.label.expect, decision.keys)
        for decision in found
        if not decision.is_right
    )


def measured(found: Sequence[LabelDecision]) -> Measured:
    """Return the figures of decisions."""
    answerable = [outcome for outcome in found if outcome.label.expect]
    others = [outcome for outcome in found if not outcome.label.expect]
    silent = sum(1 for outcome in others if not outcome.shown)
    rows = (
        _measure_hook_level(name, {level}, found, answerable)
        for name, level in ((levels.HIGH, levels.HIGH), (levels.MEDIUM, levels.MEDIUM))
    )
    either = _measure_hook_level("either", {levels.HIGH, levels.MEDIUM}, found, answerable)
    return Measured(
        len(answerable), len(others), (*rows, either), _compute_share(silent, len(others))
    )


def build_reliability_bins(found: Sequence[tuple[float, bool]], bins: int = 5) -> list[Bin]:
    """Group pairs of (probability, is right) into bins of equal width."""
    reliability_bins = []
    for number in range(bins):
        pairs = [
            (probability, right)
            for probability, right in found
            if min(int(probability * bins), bins - 1) == number
        ]
        if pairs:
            reliability_bins.append(
                Bin(
                    sum(p for p, _ in pairs) / len(pairs),
                    sum(r for _, r in pairs) / len(pairs),
                    len(pairs),
                )
            )
    return reliability_bins


def _measure_hook_level(
    name: str, wanted: set[str], found: Sequence[LabelDecision], answerable: Sequence[LabelDecision]
) -> Level:
    shown = [right for outcome in found for level, right in outcome.shown if level in wanted]
    hits = sum(
        1
        for outcome in answerable
        if any(right for level, right in outcome.shown if level in wanted)
    )
    return Level(
        name,
        len(shown),
        _compute_share(sum(shown), len(shown)),
        _compute_share(hits, len(answerable)),
    )


def _compute_share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
