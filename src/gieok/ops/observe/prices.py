"""What models cost, as data, and the cost of what was used. Where a price is not known, no cost is claimed."""

from collections.abc import Collection, Iterator, Mapping
from datetime import date
from typing import NamedTuple

from gieok.model.conversation import Run, Usage

#: Day and role.
Key = tuple[date, str]
#: The reader whose runs a role's calls make.
_READERS = {"observer": "observe", "reflector": "reflect"}


class Price(NamedTuple):
    """Dollars for a million tokens in and out, through `last` where it is known to end."""

    input: float
    output: float
    last: date = date.max


#: As noted on 2026-11-21 from ai.google.dev; of other providers no price was checked.
PRICES: Mapping[str, tuple[Price, ...]] = {
    "gemini:gemini-3.8-flash": (Price(0.75, 3.75, date(2026, 12, 31)), Price(1.50, 7.50)),
    "gemini:gemini-3.5-flash": (Price(1.50, 9.00),),
    "gemini:gemini-3.5-flash-lite": (Price(0.30, 2.50),),
    "gemini:gemini-3.1-pro-preview": (Price(2.00, 12.00),),
    "gemini:gemini-2.5-flash-lite": (Price(0.10, 0.40),),
    "gemini:gemini-2.5-flash": (Price(0.30, 2.50),),
    "gemini:gemini-2.5-pro": (Price(1.25, 10.00),),
}


class Prices(NamedTuple):
    """Prices by model, the user's own before the table's. `configured` is role → model, of days that no run tells of."""

    configured: Mapping[str, str]
    own: Price | None = None

    def costs(self, usage: Mapping[Key, Usage], runs: Collection[Run]) -> dict[Key, float]:
        """Return dollars by day and role, of those for which the price is known. `runs` are dated in the user's zone."""
        return {
            key: round((used.input_tokens * price.input + used.output_tokens * price.output) / 1_000_000, 6)
            for key, used in usage.items()
            if (price := self._price(key, runs))
        }

    def _price(self, key: Key, runs: Collection[Run]) -> Price | None:
        if self.own:
            return self.own
        day, role = key
        models = {run.model for run in runs if run.reader == _READERS.get(role) and run.at.date() == day and run.model}
        models = models or {self.configured.get(role, "")}
        found = [_listed(model, day) for model in models]
        # Usage is kept by role: of a day with two models, nobody knows which used how much.
        return found[0] if len(found) == 1 else None


def _listed(model: str, day: date) -> Price | None:
    return next((price for price in PRICES.get(model, ()) if day <= price.last), None)


def by_day(costs: Mapping[Key, float]) -> Iterator[tuple[date, float]]:
    """Yield each day's dollars, oldest first."""
    for day in sorted({day for day, _ in costs}):
        yield day, sum(cost for (other, _), cost in costs.items() if other == day)
