"""What calls and uploads cost by the prices of the settings, and where a month's money ends."""

from datetime import tzinfo
from typing import NamedTuple

from gieok.errors import StoreUnreachable
from gieok.ports.system import Clock
from gieok.storage.index.gemini.manifest import INDEXING, UploadManifest, UploadUsage
from gieok.text.tokens import estimate_tokens
from gieok.zone import day_in


class Terms(NamedTuple):
    """Limits and prices of searches.

    Chunks per search, calls per day (0: unlimited), dollars per million tokens asked, answered and
    indexed, dollars per month (0: unlimited). `within_s` is how long a search may take, all its
    tries together: a person waits, and the local index answers too.
    """

    top_k: int
    daily_calls: int
    price_input: float
    price_output: float
    within_s: float
    #: Further condition of the user's own, in the service's filter language; '' for none.
    condition: str
    price_index: float
    monthly_dollars: float


class MonthSpent(StoreUnreachable):
    """A month's money is used up: nothing is asked or uploaded, deletions go on."""


class UploadCosts:
    """Costs of this month, by days of `zone`."""

    def __init__(self, manifest: UploadManifest, terms: Terms, clock: Clock, zone: tzinfo) -> None:
        self._manifest = manifest
        self._terms = terms
        self._clock = clock
        self._zone = zone

    def read_month_usage(self) -> UploadUsage:
        """Return the calls and tokens of this month."""
        return self._manifest.usage(f"{self._clock.now().astimezone(self._zone):%Y-%m-01}")

    def price_usage(self, usage: UploadUsage) -> float:
        """Return the dollars that calls and uploads cost."""
        return (
            usage.input_tokens * self._terms.price_input
            + usage.output_tokens * self._terms.price_output
            + usage.indexed_tokens * self._terms.price_index
        ) / 1_000_000

    def verify_money(self) -> None:
        """Raise MonthSpent where this month's money is used up.

        What is asked or sent in that moment is still paid for: the cap is passed by the calls in
        flight at most.
        """
        most = self._terms.monthly_dollars
        if 0 < most <= self.price_usage(self.read_month_usage()):
            raise MonthSpent(
                "gemini not asked: this month's ${most:.2f} are used up",
                most=most,
                hint="raise gemini.monthly_dollars, or wait until next month",
            )

    def count_indexing(self, text: str) -> None:
        """Count the tokens of an uploaded text, as they are estimated here."""
        day = str(day_in(self._clock.now(), self._zone))
        self._manifest.count(day, INDEXING, estimate_tokens(text), 0)
