"""The dashboard of Grafana as JSON: panels three to a row, on the grid of 24 columns."""
from collections.abc import Iterator, Sequence
from typing import Any

import panels

# Schema version of Grafana 10 and 11, which read it without a migration.
SCHEMA = 39
UID = "remora-sidecar"
COLUMNS, PER_LINE, HEIGHT = 24, 3, 8
SOURCE = {"type": "prometheus", "uid": "${datasource}"}


def of(rows: Sequence[panels.Row]) -> dict[str, Any]:
    return {
        "uid": UID, "title": "Remora sidecars", "description": "Written by deploy/observe/generate.", "tags": ["remora"], "schemaVersion": SCHEMA, "version": 1,
        "editable": True, "graphTooltip": 1, "refresh": "30s", "timezone": "browser", "time": {"from": "now-3h", "to": "now"},
        "templating": {"list": variables()}, "annotations": {"list": []}, "links": [], "panels": list(placed(rows)),
    }


def variables() -> list[dict[str, Any]]:
    info = "remora_build_info"
    return [
        {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus", "hide": 0, "refresh": 1},
        variable("namespace", "Namespace", f"label_values({info}, namespace)"),
        variable("pod", "Pod", f'label_values({info}{{namespace=~"$namespace"}}, pod)'),
    ]


def variable(name: str, label: str, query: str) -> dict[str, Any]:
    """All by default, which also matches a scrape without that label."""
    return {"name": name, "label": label, "type": "query", "datasource": SOURCE, "query": {"query": query, "refId": name}, "definition": query,
            "refresh": 2, "sort": 1, "multi": True, "includeAll": True, "allValue": ".*", "hide": 0,
            "current": {"text": ["All"], "value": ["$__all"]}}


def placed(rows: Sequence[panels.Row]) -> Iterator[dict[str, Any]]:
    number, top = 0, 0
    for row in rows:
        number += 1
        yield {"id": number, "type": "row", "title": row.title, "collapsed": False, "panels": [], "gridPos": grid(0, top, COLUMNS, 1)}
        top += 1
        for first in range(0, len(row.panels), PER_LINE):
            line = row.panels[first : first + PER_LINE]
            width = COLUMNS // len(line)
            for column, panel in enumerate(line):
                number += 1
                yield drawn(number, panel, grid(column * width, top, width, HEIGHT))
            top += HEIGHT


def grid(x: int, y: int, width: int, height: int) -> dict[str, int]:
    return {"x": x, "y": y, "w": width, "h": height}


def drawn(number: int, panel: panels.Panel, place: dict[str, int]) -> dict[str, Any]:
    steps = [{"color": "green", "value": None}] + ([{"color": "red", "value": panel.bar}] if panel.bar is not None else [])
    custom = {"drawStyle": "line", "lineWidth": 1, "fillOpacity": 5, "showPoints": "never", "spanNulls": False,
              "thresholdsStyle": {"mode": "dashed" if panel.bar is not None else "off"}}
    limits = {"min": 0, **({"max": panel.most} if panel.most is not None else {})}
    return {
        "id": number, "type": "timeseries", "title": panel.title, "description": panel.description, "datasource": SOURCE, "gridPos": place,
        "fieldConfig": {"defaults": {"unit": panel.unit, **limits, "custom": custom, "thresholds": {"mode": "absolute", "steps": steps}}, "overrides": []},
        "options": {"legend": {"displayMode": "list", "placement": "bottom", "showLegend": True}, "tooltip": {"mode": "multi", "sort": "desc"}},
        "targets": [{"refId": chr(ord("A") + index), "datasource": SOURCE, "editorMode": "code", "expr": line.expression, "legendFormat": line.legend,
                     "range": True} for index, line in enumerate(panel.lines)],
    }
