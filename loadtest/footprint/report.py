"""The results of a conformance test, for people and for programs."""
import json


def write(result, directory):
    (directory / "report.json").write_text(json.dumps(result, indent=1))


def table(result):
    return "\n".join(f"{row['name']:40} {row['value']} {row['unit']} {row['bar']} {row['result']} {row['note']}" for row in result["rows"])
