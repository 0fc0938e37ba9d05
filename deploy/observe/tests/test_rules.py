"""The alerting rules by promtool: each alert fires with the series that should make it, and does not with others."""
import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

# first, because it makes the others known
import generated
import alerts
import panels
import programs
from rule_cases import CASES, POD, Case

ALERTS = {alert.name: alert for group in (*alerts.GROUPS, *alerts.INJECTOR_GROUPS) for alert in group.alerts}
# Replacements for the variables of Grafana.
SHOWN = {"$__rate_interval": "5m", "$namespace": ".*", "$pod": ".*"}


def labelled(series: str) -> str:
    name, _, own = series.partition("{")
    added = [f'{label}="{value}"' for label, value in POD.items()]
    return f"{name}{{{', '.join([*filter(None, [own.rstrip('}')]), *added])}}}"


def expected(case: Case) -> list[dict[str, Any]]:
    if case.summary is None:
        return []
    alert = ALERTS[case.alert]
    labels = {name: value for name, value in {**POD, **case.labels}.items() if value}
    return [{"exp_labels": {**labels, "severity": alert.severity},
             "exp_annotations": {"summary": case.summary, "description": alert.action, "page": f"docs/observability.md#{alert.anchor}"}}]


def test_file(*rules: Path) -> dict[str, Any]:
    return {"rule_files": [str(each) for each in rules], "evaluation_interval": "1m", "tests": [
        {"name": f"{case.alert} {number}", "interval": "1m",
         "input_series": [{"series": labelled(series), "values": values} for series, values in case.series.items()],
         "alert_rule_test": [{"eval_time": f"{case.minutes}m", "alertname": case.alert, "exp_alerts": expected(case)}]}
        for number, case in enumerate(CASES)]}


class RulesTest(unittest.TestCase):
    def test_each_alert_has_a_case_in_which_it_fires_and_one_in_which_it_does_not(self) -> None:
        self.assertEqual(set(ALERTS), {case.alert for case in CASES if case.summary is not None})
        self.assertEqual(set(ALERTS), {case.alert for case in CASES if case.summary is None})

    def test_they_fire_when_they_should(self) -> None:
        told = self.promtool("test", "rules", test_file(generated.HERE / "rules.yaml", generated.HERE / "injector/rules.yaml"))
        self.assertEqual(0, told.returncode, told.stdout + told.stderr)

    def test_a_rule_that_never_fires_and_one_that_always_does_fail_these_cases(self) -> None:
        for expression in ("vector(1) > 2", "vector(1)"):
            with tempfile.TemporaryDirectory() as work:
                wrong = Path(work) / "rules.yaml"
                wrong.write_text(json.dumps({"groups": [{"name": "wrong", "rules": [{"alert": name, "expr": expression} for name in ALERTS]}]}))
                told = self.promtool("test", "rules", test_file(wrong))
            failed = set(re.findall(r"alertname: (\w+)", told.stdout + told.stderr))
            self.assertEqual(set(ALERTS), failed, expression)

    def test_promtool_reads_the_expression_of_each_panel(self) -> None:
        rules = []
        for row in panels.ROWS:
            for panel in row.panels:
                for line in panel.lines:
                    expression = line.expression
                    for name, value in SHOWN.items():
                        expression = expression.replace(name, value)
                    rules.append({"record": "panel", "expr": expression, "labels": {"panel": f"{panel.title} {line.legend}"}})
        told = self.promtool("check", "rules", {"groups": [{"name": "panels", "rules": rules}]})
        self.assertEqual(0, told.returncode, told.stdout + told.stderr)
        self.assertIn(f"{len(rules)} rules found", told.stdout)

    def promtool(self, verb: str, what: str, content: dict[str, Any]) -> subprocess.CompletedProcess[str]:
        promtool = programs.prometheus(self) / "promtool"
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(json.dumps(content))
            file.flush()
            return subprocess.run([promtool, verb, what, file.name], capture_output=True, text=True)
