"""Prices of models, and the cost of their usage.

Where a price is not known, no cost is claimed.
"""

from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, date, datetime, time
from functools import cache
from typing import NamedTuple

from gieok import extras
from gieok.errors import MissingExtra
from gieok.model.conversation import Run, Usage

#: Day and role.
Key = tuple[date, str]
#: Reader whose runs make the calls of a role.
_READERS = {"observer": "observe", "reflector": "reflect"}
#: Gieok's name of a provider → that of `genai-prices`. Models that run here or at an unknown
#: address have no price.
_PROVIDERS = {"anthropic": "anthropic", "codex": "openai", "gemini": "google", "openai": "openai"}
#: Provider that reports the cost of an answer itself.
_SAYS = "claude-code"


class Price(NamedTuple):
    """Dollars for a million tokens in and out."""

    input: float
    output: float


class ModelPrices(NamedTuple):
    """Prices by model; the user's own price replaces them all.

    `configured` is role → model, for days without runs.
    """

    configured: Mapping[str, str]
    own: Price | None = None

    def costs(self, usage: Mapping[Key, Usage], runs: Collection[Run]) -> dict[Key, float]:
        """Return dollars by (day, role), for usage whose price is known.

        `runs` are dated in the user's zone.
        """
        found = ((key, self._cost(key, used, runs)) for key, used in usage.items())
        return {key: round(cost, 6) for key, cost in found if cost is not None}

    def _cost(self, key: Key, used: Usage, runs: Collection[Run]) -> float | None:
        day, role = key
        models = {
            run.model
            for run in runs
            if run.reader == _READERS.get(role) and run.at.date() == day and run.model
        }
        models = models or {self.configured.get(role, "")}
        if not self.own and all(model.partition(":")[0] == _SAYS for model in models):
            return used.reported_dollars
        price = self.own or self._price(day, models)
        return (
            (used.input_tokens * price.input + used.output_tokens * price.output) / 1_000_000
            if price
            else None
        )

    def _price(self, day: date, models: Collection[str]) -> Price | None:
        found = [_find_listed_price(model, day) for model in models]
        # Usage is kept by role: on a day with two models, nobody knows which model used how much.
        return found[0] if len(found) == 1 else None


@cache
def _find_listed_price(model: str, day: date) -> Price | None:
    """Return a model's price from the table that the package `genai-prices` bundles.

    The table is never fetched.
    """
    provider, _, name = model.partition(":")
    if provider not in _PROVIDERS:
        return None
    try:
        with extras.imports_of("models", "prices"):
            from genai_prices import Usage as Tokens
            from genai_prices import calc_price
    except MissingExtra:  # without it no model was asked
        return None
    noon = datetime.combine(day, time(12), UTC)
    # Priced per thousand tokens: the sum of a day would count as one long prompt, which costs more.
    try:
        costs = [
            calc_price(
                tokens, name, provider_id=_PROVIDERS[provider], genai_request_timestamp=noon
            ).total_price
            for tokens in (Tokens(input_tokens=1_000), Tokens(output_tokens=1_000))
        ]
    except LookupError:
        return None
    return Price(*(float(cost * 1_000) for cost in costs))


def by_day(costs: Mapping[Key, float]) -> Iterator[tuple[date, float]]:
    """Yield each day's dollars, oldest first."""
    for day in sorted({day for day, _ in costs}):
        yield day, sum(cost for (other, _), cost in costs.items() if other == day)
