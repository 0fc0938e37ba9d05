"""The charts of comparisons, drawn by the Java tool Draw as SVG and PNG."""
import json
import subprocess
import sys

from . import tools


def bars(title, unit, spreads):
    """The description of a chart with a bar for each name, and its spread. spreads: {name: Spread}."""
    return {"title": title, "bars": True, "x": {"kind": "categories", "labels": list(spreads)}, "y": {"title": unit, "least": 0},
            "series": [{"name": unit, "y": [one.median for one in spreads.values()], "low": [one.low for one in spreads.values()],
                        "high": [one.high for one in spreads.values()]}]}


def by_rate(title, unit, rates, values):
    """A line for each name over rates, which are evenly spaced. values: {name: {rate: value}}; a rate without one is a gap."""
    labels = [f"{rate:,}" for rate in rates]
    return {"title": title, "x": {"title": "requests a second", "kind": "categories", "labels": labels}, "y": {"title": unit, "least": 0},
            "series": [{"name": name, "y": [of_rate.get(rate) for rate in rates]} for name, of_rate in values.items()]}


def draw(java_home, description, target):
    """Writes TARGET.svg and TARGET.png; their paths. A chart that cannot be drawn is told of: the figures are there without it."""
    source = target.with_name(target.name + ".spec.json")
    source.write_text(json.dumps(description))
    done = subprocess.run(tools.java(java_home, "Draw", source, target), capture_output=True, text=True)
    source.unlink()
    if done.returncode:
        print(f"{target.name} was not drawn: {done.stderr.strip()}", file=sys.stderr)
        return []
    return [target.with_name(target.name + ending) for ending in (".svg", ".png")]
