"""Prometheus' text format, version 0.0.4.

See prometheus.io/docs/instrumenting/exposition_formats.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple


class MetricSample(NamedTuple):
    """A value with its labels."""

    value: float
    labels: Mapping[str, str] = {}


class Metric(NamedTuple):
    """Metric and its samples.

    A name that ends in `_total` is a counter's, any other a gauge's.
    """

    name: str
    help: str
    samples: tuple[MetricSample, ...]


def format_exposition(metrics: Iterable[Metric]) -> str:
    """Return the text of the metrics that have samples, without a final line break."""
    lines: list[str] = []
    for metric in metrics:
        if metric.samples:
            kind = "counter" if metric.name.endswith("_total") else "gauge"
            lines += [f"# HELP {metric.name} {metric.help}", f"# TYPE {metric.name} {kind}"]
            lines += [
                (
                    f"{metric.name}{_format_metric_labels(sample.labels)} "
                    f"{_format_metric_value(sample.value)}"
                )
                for sample in metric.samples
            ]
    return "\n".join(lines)


def _format_metric_labels(labels: Mapping[str, str]) -> str:
    pairs = ",".join(f'{name}="{_escape_label_value(value)}"' for name, value in labels.items())
    return f"{{{pairs}}}" if pairs else ""


def _escape_label_value(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _format_metric_value(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(round(value, 9))
