"""The generator: what it refuses, and the dashboard that it writes."""
import json
import subprocess
import unittest
from itertools import combinations

# first, because it makes the others known
import generated
import dashboard
import metric_table
import panels

KNOWN = metric_table.read()


class ExpressionsTest(unittest.TestCase):
    def test_what_names_a_metric_as_it_is_passes(self) -> None:
        for expression in ('sum by (pod, listener) (rate(remora_failures_total{namespace=~"$namespace"}[5m]))',
                           "histogram_quantile(0.99, sum by (le) (rate(remora_proxy_time_seconds_bucket[5m])))",
                           'rate(remora_endpoint_outcomes_total{outcome=~"success|failure"}[$__rate_interval])',
                           "remora_ready == 0", "max by (segment) (remora_jvm_code_cache_used_bytes)"):
            with self.subTest(expression):
                self.assertTrue(metric_table.check(expression, KNOWN))

    def test_what_names_another_is_refused_with_its_name(self) -> None:
        for expression, name in (("remora_no_such_metric", "remora_no_such_metric"), ("rate(remora_proxy_time_seconds[5m])", "_bucket"),
                                 ("remora_ready_count", "remora_ready_count"), ('remora_ready{listener="inbound"}', "listener"),
                                 ('rate(remora_responses_total{class="6xx"}[5m])', "6xx"),
                                 ('rate(remora_endpoint_outcomes_total{outcome=~"success|other"}[5m])', "other"),
                                 ("sum by (colour) (remora_ready)", "colour"), ("sum by (le) (remora_ready)", "le"),
                                 ("rate(remora_ready[5m])", "gauge"), ("remora_retries_total > 5", "level of the counter"),
                                 ("sum(remora_retries_total[5m])", "level of the counter"), ("up", "names no metric"),
                                 ('remora_ready{pod="a", !}', "cannot be read")):
            with self.subTest(expression), self.assertRaisesRegex(metric_table.Refused, name.replace("(", r"\(")):
                metric_table.check(expression, KNOWN)

    def test_each_metric_of_the_page_is_read(self) -> None:
        rows = [line for line in metric_table.PAGE.read_text().splitlines() if line.startswith("| `remora_")]
        self.assertEqual(len(rows), len(KNOWN))
        self.assertEqual({"listener": None, "class": frozenset({"1xx", "2xx", "3xx", "4xx", "5xx"})}, KNOWN["remora_responses_total"].labels)
        self.assertEqual({"listener": None, "failure": None}, KNOWN["remora_failures_total"].labels)

    def test_the_metrics_of_the_injector_are_read_from_its_page(self) -> None:
        known = metric_table.read(metric_table.INJECTOR_PAGE)
        self.assertEqual({"result": frozenset({"injected", "unchanged", "refused", "invalid", "failed"})},
                         known["remora_injector_admissions_total"].labels)
        self.assertEqual("gauge", known["remora_injector_certificate_expires_seconds"].kind)
        self.assertEqual({}, known["remora_injector_certificate_expires_seconds"].labels)


class FilesTest(unittest.TestCase):
    def test_they_are_what_the_generator_writes(self) -> None:
        told = subprocess.run([generated.HERE / "generate", "--check"], capture_output=True, text=True)
        self.assertEqual((0, ""), (told.returncode, told.stderr))


class DashboardTest(unittest.TestCase):
    def setUp(self) -> None:
        self.written = json.loads((generated.HERE / "dashboard.json").read_text())

    def test_it_has_what_grafana_asks_for(self) -> None:
        self.assertEqual((dashboard.SCHEMA, dashboard.UID), (self.written["schemaVersion"], self.written["uid"]))
        self.assertLessEqual(len(self.written["uid"]), 40)
        for panel in self.written["panels"]:
            self.assertLessEqual({"id", "type", "title", "gridPos"}, panel.keys())
            self.assertEqual({"x", "y", "w", "h"}, panel["gridPos"].keys())
        self.assertEqual(sum(len(row.panels) for row in panels.ROWS), sum(panel["type"] == "timeseries" for panel in self.written["panels"]))

    def test_ids_titles_and_targets_are_unique(self) -> None:
        shown = self.written["panels"]
        for values in ([panel["id"] for panel in shown], [panel["title"] for panel in shown],
                       *([target["refId"] for target in panel.get("targets", [])] for panel in shown)):
            self.assertEqual(len(values), len(set(values)), values)

    def test_panels_lie_within_the_grid_and_on_no_other(self) -> None:
        places = [(panel["title"], panel["gridPos"]) for panel in self.written["panels"]]
        for title, place in places:
            self.assertTrue(place["x"] >= 0 and place["y"] >= 0 and place["x"] + place["w"] <= dashboard.COLUMNS, title)
        for (title, one), (other_title, other) in combinations(places, 2):
            apart = (one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
                     or one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"])
            self.assertTrue(apart, f"{title} and {other_title} overlap")

    def test_each_variable_is_declared(self) -> None:
        declared = {variable["name"] for variable in self.written["templating"]["list"]}
        text = json.dumps(self.written["panels"])
        for name in ("datasource", "namespace", "pod"):
            self.assertIn(name, declared)
            self.assertIn(f"${name}" if name != "datasource" else "${datasource}", text)
