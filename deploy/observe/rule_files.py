"""The alerts as a rule file of Prometheus, and as a PrometheusRule of its operator."""
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import alerts

PAGE = "docs/observability.md"
HEAD = "# Written by deploy/observe/generate from alerts.py: change that one.\n"


def rule(alert: alerts.Alert) -> dict[str, Any]:
    return {"alert": alert.name, "expr": alert.expression, "for": alert.hold, "labels": {"severity": alert.severity},
            "annotations": {"summary": alert.summary, "description": alert.action, "page": f"{PAGE}#{alert.anchor}"}}


def groups(all_groups: Sequence[alerts.Group]) -> dict[str, Any]:
    return {"groups": [{"name": group.name, "rules": [rule(alert) for alert in group.alerts]} for group in all_groups]}


def rule_file(all_groups: Sequence[alerts.Group]) -> str:
    return HEAD + to_yaml(groups(all_groups))


def prometheus_rule(name: str, all_groups: Sequence[alerts.Group]) -> str:
    return HEAD + to_yaml({"apiVersion": "monitoring.coreos.com/v1", "kind": "PrometheusRule",
                           "metadata": {"name": name, "labels": {"app.kubernetes.io/name": name}}, "spec": groups(all_groups)})


def to_yaml(value: Mapping[str, Any]) -> str:
    return "\n".join(lines(value)) + "\n"


def lines(value: Any, indent: str = "") -> Iterator[str]:
    """Mappings and lists in block style; a text of several lines as a literal, any other as JSON, which YAML reads."""
    for key, one in value.items():
        if isinstance(one, Mapping):
            yield f"{indent}{key}:"
            yield from lines(one, indent + "  ")
        elif isinstance(one, list):
            yield f"{indent}{key}:"
            for item in one:
                first, *rest = lines(item, indent + "    ")
                yield f"{indent}  - {first.lstrip()}"
                yield from rest
        elif "\n" in one:
            yield f"{indent}{key}: |-"
            yield from (f"{indent}  {line}" for line in one.split("\n"))
        else:
            yield f"{indent}{key}: {json.dumps(one, ensure_ascii=False)}"
