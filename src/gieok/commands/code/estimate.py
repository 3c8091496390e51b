"""`gieok code estimate`: tokens and price of a run of the strong model, before it is paid."""

from typing import NamedTuple

from gieok.code.deepen import deeper, escalation, summarise
from gieok.code.deepen.summarise import RunEstimate
from gieok.code.index.project import Project
from gieok.commands.code.project import open_current_project
from gieok.commands.command import Style, command, printable
from gieok.commands.encode import Hidden
from gieok.commands.observe.prices import find_listed_price, read_own_price
from gieok.home.call import Call
from gieok.text.messages import Words

#: Less would be shown as nothing.
_LEAST_DOLLARS = 0.01


class PricedEstimate(NamedTuple):
    """What a run would cost at most; `dollars` is None where the model's price is not known."""

    symbols: int
    requests: int
    tokens: int
    dollars: float | None = None


class EstimateResult(NamedTuple):
    """Cost of `code init --full`, and of `code escalate` with what waits now."""

    model: str
    full: PricedEstimate
    escalate: PricedEstimate
    found: Hidden[bool] = True


def estimate_full_run(call: Call, project: Project, model: str) -> PricedEstimate:
    """Return what the description and the missing summaries of a project would cost."""
    symbols = summarise.find_unsummarised(project)
    description = deeper.estimate_description(project, model)
    return _price_run(call, model, summarise.estimate_run(project, symbols, description))


def estimate_escalation(call: Call, project: Project, model: str) -> PricedEstimate:
    """Return what a deeper look at the waiting files would cost."""
    waiting = escalation.read_pending(project.root)
    if waiting is None:
        return PricedEstimate(0, 0, 0)
    symbols = summarise.in_files(project, waiting.files, model)
    description = deeper.estimate_description(project, model)
    return _price_run(call, model, summarise.estimate_run(project, symbols, description, model))


def _price_run(call: Call, model: str, run: RunEstimate) -> PricedEstimate:
    price = read_own_price(call.home.settings) or find_listed_price(model, call.clock.now().date())
    most = call.home.settings.integer("code.summary_tokens")
    tokens = min(run.input_tokens + run.output_tokens, most + run.description_tokens)
    share = tokens / max(run.input_tokens + run.output_tokens, 1)
    dollars = None
    if price is not None:
        cost = run.input_tokens * price.input + run.output_tokens * price.output
        dollars = round(share * cost / 1_000_000, 4)
    return PricedEstimate(run.symbols, run.requests, tokens, dollars)


def format_estimate(estimate: PricedEstimate, model: str) -> Words:
    """Return an estimate as a sentence."""
    if not estimate.tokens:
        return Words("nothing is left to be paid for")
    if estimate.dollars is None:
        template = (
            "{symbols:,} summaries in {requests:,} requests: about {tokens:,} tokens of {model}, "
            "whose price is not known"
        )
    elif estimate.dollars < _LEAST_DOLLARS:
        template = (
            "{symbols:,} summaries in {requests:,} requests: about {tokens:,} tokens of {model}, "
            "less than $0.01"
        )
    else:
        template = (
            "{symbols:,} summaries in {requests:,} requests: about {tokens:,} tokens of {model}, "
            "about ${dollars:.2f}"
        )
    return Words.of(
        template,
        symbols=estimate.symbols,
        requests=estimate.requests,
        tokens=estimate.tokens,
        model=model,
        dollars=estimate.dollars,
    )


def render_estimate(result: EstimateResult, style: Style) -> str:
    """Show both runs, each with its command."""
    if not result.model:
        return style.say("No model is set: `code.model` names one, and nothing is paid without it.")
    rows = (("gieok code init --full", result.full), ("gieok code escalate", result.escalate))
    return "\n".join(
        f"{style.bold(name)}  {printable(format_estimate(estimate, result.model).say(style.lang))}"
        for name, estimate in rows
    )


@command(
    "code estimate",
    Words("Say what a run of the strong model would cost, and ask no model"),
    present=render_estimate,
    examples=("gieok code estimate",),
)
def estimate_model_runs(call: Call) -> EstimateResult:
    """Count the tokens of the runs that the model `code.model` would be paid for."""
    project = open_current_project(call)
    model = call.home.settings.text("code.model")
    if not model:
        nothing = PricedEstimate(0, 0, 0)
        return EstimateResult("", nothing, nothing)
    return EstimateResult(
        model,
        estimate_full_run(call, project, model),
        estimate_escalation(call, project, model),
    )
