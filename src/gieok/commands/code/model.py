"""Model summaries made while a project is indexed.

The strong model summarises the whole project, the cheap model the changes.
"""

from collections.abc import Sequence
from typing import NamedTuple

from gieok import fs
from gieok.code.deepen import deeper, summarise
from gieok.code.deepen.summarise import SummaryBudget, WrittenSummaries
from gieok.code.index import ownership
from gieok.code.index.project import Project, ProjectChange
from gieok.commands.code import estimate
from gieok.commands.code.estimate import PricedEstimate
from gieok.commands.encode import Hidden
from gieok.errors import DegenerateOutput, GeneratorFailed, GieokError
from gieok.flow.generate import Asker
from gieok.home import code as home_code
from gieok.home.call import Call
from gieok.model.code import Symbol


class SummaryOutcome(NamedTuple):
    """Summaries written, symbols that wait for a summary, tokens used, errors, and the model asked.

    `model` is empty where none was asked.
    """

    written: int = 0
    waiting: int = 0
    tokens: int = 0
    note: Hidden[str] = ""
    model: Hidden[str] = ""


def summarise_whole_project(call: Call, project: Project, asker: Asker) -> SummaryOutcome:
    """Let the strong model describe the project, and summarise symbols without a summary.

    Failures are returned, not raised.
    """
    begin = asker.meter.tokens
    with fs.exclusive(ownership.find_index_lock(call.home.folder, project.root, "summaries")):
        model = asker.generator.model
        tell_estimate(call, estimate.estimate_full_run(call, project, model), model)
        failure = _describe_project(call, project, asker)
        symbols = summarise.find_unsummarised(project)
        # A model that cannot be reached is not asked again for each part of the project.
        is_there = failure is None or isinstance(failure, DegenerateOutput)
        outcome = (
            summarise_within_budget(call, project, asker, symbols)
            if is_there
            else WrittenSummaries(0, len(symbols), failure)
        )
    notes = [f"no description by a model: {failure} ({failure.hint})"] if failure else []
    notes += [outcome.note] if outcome.note else []
    return SummaryOutcome(
        written=outcome.written,
        waiting=outcome.left,
        tokens=asker.meter.tokens - begin,
        note="; ".join(notes),
        model=model,
    )


def tell_estimate(call: Call, priced: PricedEstimate, model: str) -> None:
    """Say what a run costs, before anything of it is paid."""
    if priced.tokens:
        call.tell(estimate.format_estimate(priced, model).say(call.lang))


def _describe_project(call: Call, project: Project, asker: Asker) -> GeneratorFailed | None:
    call.say(call.words("describing the project"))
    try:
        deeper.describe(project, asker)
    except GeneratorFailed as error:
        return error
    return None


def summarise_within_budget(
    call: Call,
    project: Project,
    asker: Asker,
    symbols: Sequence[Symbol],
    setting: str = "code.summary_tokens",
    *,
    anew: bool = False,
) -> WrittenSummaries:
    """Let a model summarise symbols, within the token budget of the named setting."""
    words = call.words("summarising")
    budget = SummaryBudget(setting, call.home.settings.integer(setting))

    def progress(done: int, total: int) -> None:
        call.say(f"{words} {done}/{total}")

    return summarise.write_symbol_summaries(project, asker, symbols, budget, progress, anew=anew)


def mark_waiting_summaries(call: Call, project: Project, change: ProjectChange) -> None:
    """Record that new code waits for a summary, where the project has summaries by models."""
    if call.home.settings.text("code.upkeep_model") or project.store.summaries():
        touched = {s.path for s in change.now}
        rest = (s for s in project.store.all_symbols() if s.path not in touched)
        summarise.note_waiting_summaries(project, {s.code_hash for s in (*rest, *change.was)})


def summarise_changed_symbols(call: Call, project: Project) -> SummaryOutcome:
    """Let the cheap model summarise the waiting symbols. Failures are returned, not raised."""
    with fs.exclusive(
        ownership.find_index_lock(call.home.folder, project.root, "summaries"), wait=False
    ) as is_alone:
        symbols = summarise.note_waiting_summaries(project, None)
        count = len({s.code_hash for s in symbols})
        if not symbols or not is_alone:  # whoever holds the lock pays for these already
            return SummaryOutcome(waiting=count)
        try:
            asker = home_code.open_upkeep_asker(call.home, project.root)
        except GieokError as error:
            return SummaryOutcome(
                waiting=count, note=f"no summaries of what changed: {error} ({error.hint})"
            )
        if asker is None:
            return SummaryOutcome(waiting=count)
        begin = asker.meter.tokens
        outcome = summarise_within_budget(call, project, asker, symbols, "code.upkeep_tokens")
    return SummaryOutcome(
        written=outcome.written,
        waiting=outcome.left,
        tokens=asker.meter.tokens - begin,
        note=outcome.note,
        model=asker.generator.model,
    )
