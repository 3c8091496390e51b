"""Prices of models, and the cost of their usage.

Usage whose price is not known has no cost.
"""

from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, date, datetime, time
from functools import cache
from typing import NamedTuple

from gieok import extras
from gieok.errors import MissingExtra
from gieok.model.conversation import Run, Usage
from gieok.settings.values import Settings

#: Key of usage and costs: the day and the role (`observer`, `reflector`).
Key = tuple[date, str]
#: Role → name of the reader whose runs make the model calls of the role.
_READERS = {"observer": "observe", "reflector": "reflect"}
#: Gieok's name of a provider → the name in `genai-prices`. Models that run on this machine or at
#: an unknown address have no price.
_PROVIDERS = {"anthropic": "anthropic", "codex": "openai", "gemini": "google", "openai": "openai"}
#: Provider whose answers report their own cost.
_SAYS = "claude-code"


class Price(NamedTuple):
    """Dollars for a million input tokens and for a million output tokens."""

    input: float
    output: float


class ModelPrices(NamedTuple):
    """Prices of models on a day.

    `configured` is role → model, for days without runs. `own` is the user's own price, which
    replaces the prices of all models.
    """

    configured: Mapping[str, str]
    own: Price | None = None

    def costs(self, usage: Mapping[Key, Usage], runs: Collection[Run]) -> dict[Key, float]:
        """Return (day, role) → dollars, for usage whose price is known.

        The times of `runs` are in the user's zone.
        """
        costs = ((key, self._cost(key, used, runs)) for key, used in usage.items())
        return {key: round(cost, 6) for key, cost in costs if cost is not None}

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
        prices = [find_listed_price(model, day) for model in models]
        # Usage is kept by role: on a day with two models, nobody knows which model used how much.
        return prices[0] if len(prices) == 1 else None


def read_own_price(settings: Settings) -> Price | None:
    """Return the user's own price of all models; None where the settings have none."""
    price_in = float(settings.text("observe.price_in"))
    price_out = float(settings.text("observe.price_out"))
    return Price(price_in, price_out) if price_in >= 0 and price_out >= 0 else None


@cache
def find_listed_price(model: str, day: date) -> Price | None:
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
