"""The metrics that a sidecar has, as docs/metrics.md lists them, those of the injector in docs/injector.md, and a check of expressions against both.

MetricsPageTest and ReviewStatsTest hold the pages against the code, so that an expression that passes here names nothing that does not exist.
"""
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE, INJECTOR_PAGE = DOCS / "metrics.md", DOCS / "injector.md"
ROW = re.compile(r"^\| `(remora_\w+)` \| (counter|gauge|histogram) \| (.*?) \|.* \|$", re.M)
LABEL = re.compile(r"(\w+)(?:: ((?:`[^`]*`(?:, )?)+))?")
# Labels that a scrape adds to each series by the discovery of Kubernetes.
TARGET = ("namespace", "pod", "container", "job", "instance")
SUFFIXES = ("_bucket", "_sum", "_count")
# A rate of a gauge means nothing, and neither does the level of a counter.
RATES = ("rate", "irate", "increase")
CHANGES = ("changes", "resets")
NAMED = re.compile(r"(?:(\w+)\()?\b(remora_\w+)(?:\{([^}]*)\})?(\[)?")
MATCHER = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"')
GROUPING = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)")
# Names that Grafana replaces, or that are variables of the dashboard.
VARIABLE = re.compile(r"\$\w+|\$\{\w+\}")


class Refused(Exception):
    """An expression that names what does not exist."""


class Metric(NamedTuple):
    """labels has the values of each label that has declared ones, and None for another."""

    name: str
    kind: str
    labels: Mapping[str, frozenset[str] | None]


def read(page: Path = PAGE) -> dict[str, Metric]:
    """Every metric by its name. Raises Refused where the page has none."""
    found = {}
    for name, kind, labels in ROW.findall(page.read_text()):
        found[name] = Metric(name, kind, parse_labels(labels))
    if not found:
        raise Refused(f"{page} lists no metrics")
    return found


def parse_labels(text: str) -> dict[str, frozenset[str] | None]:
    """The labels of a row; the values of one that is declared elsewhere are a link, and count as not declared."""
    plain = re.sub(r": \[[^\]]*\]\([^)]*\)", "", text)
    return {name: frozenset(re.findall(r"`([^`]*)`", values)) if values else None for name, values in LABEL.findall(plain)}


def metric_of(name: str, known: Mapping[str, Metric]) -> tuple[Metric, str]:
    """The metric of a series, and the suffix by which a histogram's series are named."""
    if name in known:
        if known[name].kind == "histogram":
            raise Refused(f"{name} is a histogram: name one of its series, {name}_bucket, _sum or _count")
        return known[name], ""
    for suffix in SUFFIXES:
        base = known.get(name.removesuffix(suffix))
        if name.endswith(suffix) and base and base.kind == "histogram":
            return base, suffix
    raise Refused(f"{name} is no metric: docs/metrics.md and docs/injector.md list them")


def check(expression: str, known: Mapping[str, Metric]) -> set[str]:
    """The metrics that an expression of PromQL names. Raises Refused for a metric, a label or a value that does not exist, and for a rate of a
    gauge or the level of a counter."""
    text = re.sub(r"\s+", " ", expression)
    named, labels = set(), set(TARGET)
    for function, name, matchers, window in NAMED.findall(text):
        metric, suffix = metric_of(name, known)
        own = {**metric.labels, **({"le": None} if suffix == "_bucket" else {})}
        check_use(function, metric, suffix, bool(window), text)
        check_matchers(name, matchers, own)
        named.add(metric.name)
        labels |= set(own)
    if not named:
        raise Refused(f"{expression} names no metric")
    for group in GROUPING.findall(text):
        for label in filter(None, (word.strip() for word in group.split(","))):
            if label not in labels:
                raise Refused(f"no metric of {expression} has the label {label}")
    return named


def check_use(function: str, metric: Metric, suffix: str, has_window: bool, text: str) -> None:
    counts = metric.kind == "counter" or bool(suffix)
    if function in RATES and not counts:
        raise Refused(f"{function} of the gauge {metric.name}: {text}")
    if counts and not (has_window and function in (*RATES, *CHANGES)):
        raise Refused(f"the level of the counter {metric.name}, which starts at 0 again with each sidecar: {text}")


def check_matchers(name: str, matchers: str, own: Mapping[str, frozenset[str] | None]) -> None:
    left = VARIABLE.sub("", MATCHER.sub("", matchers)).replace(",", "").strip()
    if left:
        raise Refused(f"{name}{{{matchers}}}: {left} cannot be read")
    for label, operator, value in MATCHER.findall(matchers):
        if label not in own and label not in TARGET:
            raise Refused(f"{name} has no label {label}")
        values = own.get(label)
        if values is None or VARIABLE.fullmatch(value) or not value:
            continue
        for one in alternatives(operator, value):
            if one not in values:
                raise Refused(f"{name} has no {label}=\"{one}\"; it has {', '.join(sorted(values))}")


def alternatives(operator: str, value: str) -> Iterable[str]:
    return value.split("|") if operator in ("=~", "!~") else [value]
