"""Metrics for Prometheus: counts and times, without names of users or characters."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

CONTENT_TYPE = CONTENT_TYPE_LATEST
_BUCKETS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60)


class Metrics:
    """Metrics of one server process."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "gieok_http_requests",
            "Requests answered",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "gieok_http_request_seconds",
            "Until the end of the answer",
            ("route",),
            registry=self._registry,
            buckets=_BUCKETS,
        )
        self._turns = Counter(
            "gieok_turns", "Replies asked for", ("outcome",), registry=self._registry
        )
        self._points = Counter(
            "gieok_points_charged", "Points charged for replies", registry=self._registry
        )
        self._failures = Counter(
            "gieok_model_failures", "Models that gave nothing usable", registry=self._registry
        )

    def watch(self, is_shared: Callable[[], bool]) -> None:
        """Add a gauge that shows whether rates are counted together with other processes."""
        shared = Gauge(
            "gieok_rates_shared", "Whether rates are counted in redis.url", registry=self._registry
        )
        shared.set_function(lambda: float(is_shared()))

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answered request.

        `route` is the pattern of the route, because an address may hold a name.
        """
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def turn(self, outcome: str, points: int = 0) -> None:
        """Count a turn: `delivered`, `cut` (the client left) or `failed` (the model did)."""
        self._turns.labels(outcome).inc()
        self._points.inc(points)
        if outcome == "failed":
            self._failures.inc()

    def text(self) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        return generate_latest(self._registry)
