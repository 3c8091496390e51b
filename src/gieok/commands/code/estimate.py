"""`gieok code estimate`: tokens and price of a run of the strong model, before it is paid."""

from typing import Annotated, NamedTuple

from gieok.code.deepen import deeper, escalation, summarise
from gieok.code.deepen.summarise import RunEstimate
from gieok.code.index.project import Project
from gieok.commands.code.project import open_current_project
from gieok.commands.command import Parameter, Style, command, printable
from gieok.commands.encode import Hidden, OrNull
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
    """Cost of `code init --full`, and of `code escalate` with what waits now.

    Where no model is named or set, the cost is in tokens alone.
    """

    model: OrNull[str]
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
    if not model:
        template = "{symbols:,} summaries in {requests:,} requests: about {tokens:,} tokens"
    elif estimate.dollars is None:
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
    rows = (("`gieok code init --full`", result.full), ("`gieok code escalate`", result.escalate))
    lines = [
        f"{style.bold(name)}  {printable(format_estimate(estimate, result.model).say(style.lang))}"
        for name, estimate in rows
    ]
    if not result.model:
        unpriced = style.say(
            "No model is set, so no price is known: name one with `--model`, or in `code.model`."
        )
        lines.append(style.dim(unpriced))
    return "\n".join(lines)


@command(
    "code estimate",
    Words("Say what a run of the strong model would cost, and ask no model"),
    present=render_estimate,
    examples=("gieok code estimate", "gieok code estimate --model gemini:gemini-3.5-flash"),
)
def estimate_model_runs(
    call: Call,
    *,
    model: Annotated[
        str, Parameter(Words("provider:model (default: the setting code.model)"))
    ] = "",
) -> EstimateResult:
    """Count the tokens of the runs that a model would be paid for, and what they cost."""
    project = open_current_project(call)
    model = model or call.home.settings.text("code.model")
    return EstimateResult(
        model,
        estimate_full_run(call, project, model),
        estimate_escalation(call, project, model),
    )
