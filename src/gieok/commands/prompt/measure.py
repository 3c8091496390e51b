"""`gieok hook measure`: quality of recall on prompts that you labelled; can add labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Protocol

from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.home.hook_index import open_hook_index
from gieok.hook import matches, measure, question, rules
from gieok.hook.inject import InjectedMemory
from gieok.hook.levels import HIGH, MEDIUM
from gieok.hook.matches import Match
from gieok.hook.measure import Bin, Label, Level
from gieok.hook.validity import Standing
from gieok.places.home import PROJECT_FOLDER
from gieok.places.workplace import project_root
from gieok.processes.client import RecalledPrompt
from gieok.text.columns import pad_columns
from gieok.text.messages import Words

_SHOWN = 5


class _Recall(Protocol):
    def __call__(self, prompt: str, *, with_low: bool = False) -> Sequence[Match]: ...


@dataclass(frozen=True, slots=True)
class MeasureResult:
    """The figures of the labelled set."""

    file: str
    answerable: int
    unanswerable: int
    levels: dict[str, Level]
    silence: float | None
    #: How many of the prompts the daemon answered by meaning, and how many words alone answered, as
    #: the hook would now.
    by: dict[str, int]
    #: The prompts whose outcome was wrong.
    failed: tuple[measure.FailedPrompt, ...]

    @property
    def found(self) -> bool:
        """Return whether there is any label."""
        return bool(self.answerable or self.unanswerable)


def render_recall_measure(result: MeasureResult, style: Style) -> str:
    """Show a table of levels."""
    head = Words.of(
        "{answerable} prompts with an answer, {unanswerable} without ({file})",
        answerable=result.answerable,
        unanswerable=result.unanswerable,
        file=result.file,
    )

    def say_column(name: str) -> str:
        return style.say(name, about="a column of a measure")

    heads = [pad_columns(say_column(name), -wide) for name, wide in _COLUMNS.items()]
    lines = [head.say(style.lang), " ".join((" " * _LEVEL_COLUMNS, *heads))]
    for level in result.levels.values():
        name = pad_columns(say_column(level.name), _LEVEL_COLUMNS)
        shares = (
            f"{_format_percent(level.precision):>{_COLUMNS['precision']}}",
            f"{_format_percent(level.recall):>{_COLUMNS['recall']}}",
        )
        lines.append(" ".join((name, f"{level.shown:>{_COLUMNS['shown']}}", *shares)))
    silence = pad_columns(say_column("silence"), _LEVEL_COLUMNS)
    lines.append(f"{silence} {_format_percent(result.silence):>17}")
    lines.append(_format_answer_sources(result, style))
    lines += [_format_failed_prompt(failed, style) for failed in result.failed]
    return "\n".join(lines)


def _format_answer_sources(result: MeasureResult, style: Style) -> str:
    daemon, words = result.by["daemon"], result.by["words"]
    return style.dim(
        style.say(
            (
                "asked as the hook asks now: {daemon} answered by the daemon, by meaning; {words} "
                "by words alone"
            ),
            daemon=daemon,
            words=words,
        )
    )


def _format_failed_prompt(one: measure.FailedPrompt, style: Style) -> str:
    shown = ", ".join(map(printable, one.shown)) or style.say("nothing")
    expected = ", ".join(map(printable, one.expected)) or style.say("silence")
    wrong = style.say("shown: {shown}; expected: {expected}", shown=shown, expected=expected)
    return f"✗ {printable(one.prompt)}  {wrong}"


def _format_percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


@command(
    "hook measure",
    Words("Measure recall on prompts that you labelled"),
    present=render_recall_measure,
    examples=(
        "gieok hook measure --file prompts.jsonl",
        'gieok hook measure --add "Which linter?" --expect decision/linter-ruff',
    ),
    effect=Effect.WRITE,
)
def measure_recall(
    call: Call,
    *,
    file: Annotated[
        str, Parameter(Words("the labels (default: .gieok/labels.jsonl of the project)"))
    ] = "",
    label: Annotated[
        bool,
        Parameter(
            Words(
                "label prompts in this terminal: type one, then the numbers of what it should "
                "recall"
            )
        ),
    ] = False,
    add: Annotated[str, Parameter(Words("add this prompt to the labels"))] = "",
    expect: Annotated[
        str,
        Parameter(Words("what the added prompt should recall, joined by commas (none: silence)")),
    ] = "",
) -> MeasureResult:
    """Add labels where asked, then measure."""
    label_file = call.caller.path(file) if file else _locate_labels_file(call)
    if label_file.exists() and not label_file.is_file():
        raise BadRequest(
            "{file!r} is no file",
            file=label_file,
            hint="name a file of labels, a JSON object a line",
        )

    def recall(prompt: str, *, with_low: bool = False) -> Sequence[Match]:
        return _recall_prompt_matches(call, prompt, with_low=with_low)

    if add:
        names = tuple(name.strip() for name in expect.split(",") if name.strip())
        measure.append_prompt_label(label_file, Label(add, names))
    if label:
        if call.ask is None:
            raise BadRequest(
                "labelling needs a terminal",
                hint='add one label: `--add "PROMPT" --expect category/name.md`',
            )
        while typed_label := _ask_recall_label(call, recall):
            measure.append_prompt_label(label_file, typed_label)
    if file and not label_file.is_file():
        raise BadRequest(
            "there is no file {file!r}",
            file=label_file,
            hint='`--add "PROMPT" --expect category/name.md` begins one',
        )
    live = _Live(call)
    outcomes = measure.outcomes(measure.load_prompt_labels(label_file), live.recalled)
    m = measure.measured(outcomes)
    return MeasureResult(
        file=str(label_file),
        answerable=m.answerable,
        unanswerable=m.unanswerable,
        levels={level.name: level for level in m.levels},
        silence=m.silence,
        by=live.by,
        failed=measure.select_failed_prompts(outcomes),
    )


class _Live:
    """Recall as the hook does it: the daemon within the hook's deadline, else by words.

    Counts how often each of them answered.
    """

    def __init__(self, call: Call) -> None:
        self._call = call
        self._daemon = call.home.daemon or None
        self.by = {"daemon": 0, "words": 0}

    def recalled(self, prompt: str) -> Sequence[Match]:
        """Return what the hook would show for a prompt."""
        if not question.is_worth_asking(prompt):
            return ()
        recalled_matches = self._of_daemon(prompt)
        self.by["words" if recalled_matches is None else "daemon"] += 1
        if recalled_matches is None:
            recalled_matches = [
                *self._rules(prompt),
                *_recall_prompt_matches(self._call, prompt, with_low=False),
            ]
        return recalled_matches[: int(self._call.home.hook_settings.number("hook.limit"))]

    def _of_daemon(self, prompt: str) -> list[Match] | None:
        caller = self._call.caller
        scopes = [str(scope) for scope in self._call.scopes]
        within_s = self._call.home.hook_settings.number("hook.deadline_ms") / 1000
        memories = (
            self._daemon.recalled(prompt, scopes, caller.folder, caller.environment, within_s)
            if self._daemon
            else None
        )
        return None if memories is None else [_build_recall_match(memory) for memory in memories]

    def _rules(self, prompt: str) -> list[Match]:
        scopes = [str(scope) for scope in self._call.scopes]
        reader, late = open_hook_index(self._call.home)
        try:
            bearing = rules.bearing(
                rules.read_binding_rules(str(self._call.home.folder), scopes, reader.lines), prompt
            )
        except late:
            return []
        return [
            Match(level=HIGH, probability=rule.score, key=rule.handle, entry=rule)
            for rule in bearing
        ]


def _build_recall_match(one: RecalledPrompt) -> Match:
    """Return a memory from the daemon as a match, named by its path, else by its handle."""
    key = one.citation.rpartition("#L")[0] or one.handle
    entry = InjectedMemory(
        title=one.citation, citation=one.citation, handle=one.handle, score=one.score
    )
    return Match(level=HIGH if one.is_sure else MEDIUM, probability=one.score, key=key, entry=entry)


def compute_label_reliability(call: Call) -> list[Bin]:
    """Return the reliability of the hook's probabilities on the labels, in bins.

    The labels are those of the project, or of the home; empty without labels.
    """
    labels = measure.load_prompt_labels(_locate_labels_file(call))
    judged_matches = [
        (match.probability, label.means(match.key))
        for label in labels
        for match in _recall_prompt_matches(call, label.prompt, with_low=True)
    ]
    return measure.build_reliability_bins(judged_matches)


def _locate_labels_file(call: Call) -> Path:
    root = project_root(str(call.caller.folder))
    return (Path(root) / PROJECT_FOLDER if root else call.home.folder) / "labels.jsonl"


def _recall_prompt_matches(call: Call, prompt: str, *, with_low: bool) -> Sequence[Match]:
    prompt_questions = question.build_prompt_questions(prompt)
    if not prompt_questions:
        return ()
    scopes = [str(scope) for scope in call.scopes]
    now_unix_s = call.clock.now().timestamp()
    reader, late = open_hook_index(call.home)
    standing = Standing(str(call.home.folder), now_unix_s)
    recalled_hits = matches.find_matches(
        reader,
        scopes,
        prompt_questions,
        call.home.hook_settings,
        now_unix_s,
        str(call.caller.folder),
        late,
        with_low=with_low,
        prompt=prompt,
        claims=standing,
    ).found
    return recalled_hits[
        : _SHOWN if with_low else int(call.home.hook_settings.number("hook.limit"))
    ]


def _ask_recall_label(call: Call, recall: "_Recall") -> Label | None:
    """Ask a person for one label; None when the person has finished."""
    ask = call.ask
    assert ask
    prompt = ask(call.words("prompt (empty: done)> ")).strip()
    if not prompt:
        return None
    recalled_hits = recall(prompt, with_low=True)
    for number, hit in enumerate(recalled_hits, 1):
        call.tell(
            f"  {number}  {hit.level:<6} {hit.probability:.2f}  {printable(hit.entry.title)}  "
            f"{printable(hit.key)}"
        )
    chosen = ask(call.words("numbers to recall (empty: silence)> "))
    numbers = [int(word) for word in chosen.replace(",", " ").split() if word.isdecimal()]
    return Label(
        prompt, tuple(recalled_hits[n - 1].key for n in numbers if 0 < n <= len(recalled_hits))
    )


_COLUMNS = {"shown": 6, "precision": 10, "recall": 8}
_LEVEL_COLUMNS = 8
