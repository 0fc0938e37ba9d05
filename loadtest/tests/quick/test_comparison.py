"""The comparison: its arithmetic and its tables."""
import http.client
import json
import unittest

from remora_measure import arms, markdown, runs, spread
from remora_measure.comparisons import images as compare
from remora_measure.errors import RequestsFailed
from remora_measure.load import collector, wrk
from remora_measure.machine import processes
from remora_measure.results.comparison import DIRECT, Comparison
from remora_measure.spread import Figure, Spread

OPTIONS = {"rate": 1000, "connections": 16, "body": 1024}
RSS = Figure("peak_rss_mb", "peak RSS, MB", 1)
WRK_FINE = "Running 1s test\n  100 requests in 1.00s, 1.2MB read\nRequests/sec: 100.00\n"


def row(rss_mb, client_us=100.0, **more):
    clients = {f"client_{key}": client_us for key in ("p50_us", "p99_us", "p999_us")}
    return {"peak_rss_mb": rss_mb, "cpu_us": 2 * rss_mb, "rate_rps": 1000.0, "rate_missed": False, **clients, **more}


def comparison(**rows):
    told = Comparison(OPTIONS, {})
    for name, of_arm in rows.items():
        for number, one in enumerate(of_arm):
            told.keep(number, name, one)
    return told


class Arithmetic(unittest.TestCase):
    def test_a_spread_is_of_the_values_that_are_there(self):
        self.assertEqual(Spread(2, 1, 9), spread.of([9, None, 1, 2]))
        self.assertIsNone(spread.of([None]))

    def test_ratios_are_taken_round_by_round(self):
        """The medians' ratio would be 1: a machine half as fast in one round slows both."""
        mine, other = [row(10.0), row(40.0), row(30.0)], [row(20.0), row(80.0), row(20.0)]
        self.assertEqual({"peak_rss_mb": Spread(0.5, 0.5, 1.5)}, spread.ratios(mine, other, [RSS]))

    def test_a_round_without_one_of_the_two_has_no_ratio(self):
        self.assertEqual({"peak_rss_mb": Spread(0.5, 0.5, 0.5)}, spread.ratios([row(10.0), None], [row(20.0), row(1.0)], [RSS]))
        self.assertEqual({}, spread.ratios([row(10.0)], [{}], [RSS]))

    def test_tables_are_markdown_with_a_range_where_values_differ(self):
        by_name = {"a": {"peak_rss_mb": Spread(1234.56, 1000, 2000)}, "bb": {"peak_rss_mb": Spread(1, 1, 1)}}
        table = markdown.spread_table("arm", by_name, [RSS])
        self.assertEqual(["| arm |                 peak RSS, MB |", "|-----|-----------------------------:|",
                          "| a   | 1,234.6 (1,000.0 .. 2,000.0) |", "| bb  |                          1.0 |"],
                         table.splitlines())

    def test_a_figure_that_nothing_has_is_no_column(self):
        self.assertNotIn("peak RSS", markdown.spread_table("arm", {"a": {}}, [RSS]))

    def test_what_wrk_counts_as_failed(self):
        self.assertEqual(0, wrk.failures(WRK_FINE))
        self.assertEqual(13, wrk.failures(WRK_FINE + "  Socket errors: connect 1, read 2, write 3, timeout 4\n"
                                                     "  Non-2xx or 3xx responses: 3\n"))

    def test_a_rate_is_missed_by_more_than_one_per_cent(self):
        self.assertFalse(runs.missed(9_900, 10.0, 1000))
        self.assertTrue(runs.missed(9_890, 10.0, 1000))
        self.assertFalse(runs.missed(79, 8.0, 10))


class Result(unittest.TestCase):
    def test_what_is_added_is_told_against_the_same_round(self):
        told = comparison(**{"image": [row(1.0, 150.0), row(1.0, 990.0)], DIRECT: [row(1.0, 100.0), row(1.0, 900.0)]})
        self.assertEqual([50.0, 90.0], [one["added_p99_us"] for one in told.completed()["image"]])

    def test_a_round_without_the_direct_way_adds_nothing_known(self):
        told = comparison(**{"image": [row(1.0), row(1.0)], DIRECT: [row(1.0)]})
        self.assertNotIn("added_p99_us", told.completed()["image"][1])

    def test_what_several_endpoints_take_is_told_against_the_same_image_in_its_round(self):
        plain = [row(20.0, closed_cpu_us=100.0, closed_rss_mb=21.0), row(30.0, closed_cpu_us=50.0, closed_rss_mb=31.0)]
        meshed = [row(22.0, closed_cpu_us=110.0, closed_rss_mb=24.0), row(31.0, closed_cpu_us=60.0, closed_rss_mb=33.0), row(1.0)]
        told = comparison(**{"image": plain, "image+mesh": meshed, "other": [row(1.0)]})
        rows = told.completed()["image+mesh"]
        self.assertEqual([(2.0, 3.0, 10), (1.0, 2.0, 20)], [(one["rss_above_mb"], one["closed_rss_above_mb"], round(one["closed_cpu_above_percent"]))
                                                            for one in rows[:2]])
        self.assertNotIn("rss_above_mb", rows[2])
        self.assertNotIn("rss_above_mb", told.completed()["other"][0])
        self.assertRegex(told.markdown(), r"\| image\+mesh +\| +1\.50 \(1\.00 \.\. 2\.00\) \|")

    def test_what_a_node_pays_stands_before_peak_rss(self):
        paid = {"private_mb": 10.0, "working_set_mb": 12.0, "cgroup": 1}
        told = comparison(image=[row(30.0, **paid, marginal_mb=11.0, kept_mb=0.5), row(30.0, **paid)], envoy=[row(60.0, **{**paid, "private_mb": 20.0}, marginal_mb=22.0)])
        heading = next(line for line in told.markdown().splitlines() if line.startswith("| memory and CPU"))
        self.assertEqual(["private, MB", "working set, MB", "marginal cost, MB", "of it not released", "peak RSS, MB"],
                         [cell.strip() for cell in heading.strip("|").split("|")][1:6])
        ratios = told.describe()["ratios"]["envoy"]["image"]
        self.assertEqual([0.5, 0.5], [ratios[key]["median"] for key in ("private_mb", "marginal_mb")])
        self.assertNotIn("kept_mb", ratios)

    def test_it_says_how_memory_was_taken(self):
        paid = {"private_mb": 10.0, "working_set_mb": 12.0, "cgroup": 2}
        told = comparison(image=[row(30.0, **paid, cold=True)])
        told.swap = "off"
        self.assertIn("by a memory cgroup of its own, version 2; swap off, counted as private. Each system started with its files out of the kernel's cache.", told.markdown())
        told = comparison(image=[row(30.0, **paid, cold=True)], host=[row(30.0, **paid, cold=False)], before=[row(30.0, **paid, cold=True), row(30.0, **paid, cold=False)])
        self.assertIn("with its files out of the kernel's cache, except host, before, whose files were cached as they were.", told.markdown())
        self.assertIn("by smaps_rollup", comparison(image=[row(30.0, private_mb=10.0)]).markdown())
        self.assertNotIn("working set", comparison(image=[row(30.0)]).markdown().lower())
        self.assertEqual("off", told.describe()["swap"])

    def test_what_cannot_be_many_has_no_marginal_cost(self):
        for name in ("nginx", "i386", "image+mesh", "before"):
            self.assertEqual({}, compare.marginal(arms.Arm(name), None, compare.read_arguments(["--herd", "2"])), name)

    ON = row(21.4, closed_cpu_us=111.9, closed_rss_mb=24.0, wire_p99_us=900.0, wire_p999_us=4000.0, hiccup_p99_us=100.0, hiccup_p999_us=200.0)

    def bars(self, plain_p99_us=500.0, **more):
        told = comparison(**{"image": [row(20.0, closed_cpu_us=100.0, closed_rss_mb=21.0, wire_p99_us=plain_p99_us)] * 3, "image+features": [{**self.ON, **more}] * 3})
        return {one["figure"]: one["result"] for one in told.judged()}, told.markdown()

    def test_every_bar_of_features_can_be_missed(self):
        results, text = self.bars()
        self.assertEqual({"peak RSS, MB": "met", "time on the wire p99, us": "met", "time on the wire p999, us": "met"}, results)
        self.assertRegex(text, r"\| peak RSS, MB +\| image\+features \| +1\.40 \| +1\.5 \| +met \|")
        for figure, more in (("peak RSS, MB", {"peak_rss_mb": 21.6}), ("time on the wire p99, us", {"wire_p99_us": 1001.0}), ("time on the wire p999, us", {"wire_p999_us": 5001.0})):
            with self.subTest(figure):
                results, text = self.bars(**more)
                self.assertEqual([figure], [name for name, result in results.items() if result == "missed"])
                self.assertIn("**missed**", text)

    def test_a_late_host_leaves_a_latency_open(self):
        self.assertEqual("inconclusive", self.bars(wire_p99_us=2100.0, hiccup_p99_us=1200.0)[0]["time on the wire p99, us"])
        self.assertEqual("missed", self.bars(wire_p99_us=2300.0, hiccup_p99_us=1200.0)[0]["time on the wire p99, us"])

    def test_what_the_image_misses_anyway_leaves_a_latency_open(self):
        self.assertEqual("inconclusive", self.bars(plain_p99_us=1100.0, wire_p99_us=2100.0)[0]["time on the wire p99, us"])
        # but not what features add to that
        self.assertEqual("missed", self.bars(plain_p99_us=1100.0, wire_p99_us=2101.0)[0]["time on the wire p99, us"])

    def test_under_less_load_than_was_asked_for_no_latency_is_met(self):
        results = self.bars(rate_missed=True)[0]
        self.assertEqual(["met", "inconclusive"], [results[figure] for figure in ("peak RSS, MB", "time on the wire p99, us")])
        self.assertEqual("missed", self.bars(rate_missed=True, wire_p99_us=1001.0)[0]["time on the wire p99, us"])

    def test_what_excuses_a_latency_is_of_the_same_round(self):
        """By the medians, which are 2,000 and 1,200, the rest would meet the bar; in each round that missed it, it does not."""
        rows = [{**self.ON, "wire_p99_us": wire, "hiccup_p99_us": hiccup} for wire, hiccup in ((900.0, 5000.0), (2000.0, 100.0), (2300.0, 1200.0))]
        told = comparison(**{"image": [row(20.0, closed_cpu_us=100.0, wire_p99_us=500.0)] * 3, "image+features": rows})
        self.assertEqual("missed", {one["figure"]: one["result"] for one in told.judged()}["time on the wire p99, us"])

    def test_a_bar_without_a_figure_is_inconclusive(self):
        told = comparison(**{"image": [row(20.0)], "image+features": [row(21.0)]})
        told.left_out["other+features"] = "no image other"
        results = {(one["arm"], one["figure"]): (one["measured"], one["result"]) for one in told.judged()}
        self.assertEqual(6, len(results))
        self.assertEqual("met", results["image+features", "peak RSS, MB"][1])
        for arm, figure in (("image+features", "time on the wire p99, us"), ("image+features", "time on the wire p999, us"), ("other+features", "peak RSS, MB")):
            self.assertEqual((None, "inconclusive"), results[arm, figure])
        self.assertRegex(told.markdown(), r"\| time on the wire p99, us +\| image\+features \| +\| +1,000 \| +inconclusive \|")
        self.assertIsNone(json.loads(json.dumps(told.describe()))["bars"][1]["measured"])

    def test_without_the_same_image_beside_it_nothing_is_met(self):
        told = comparison(**{"image+features": [self.ON]})
        self.assertEqual(["inconclusive", "met", "met"], [one["result"] for one in told.judged()])
        self.assertIn("| inconclusive |", told.markdown())

    def test_what_traces_nothing_is_no_measurement_of_tracing(self):
        self.assertEqual(7, compare.require_spans(7))
        with self.assertRaisesRegex(RequestsFailed, "no span"):
            compare.require_spans(0)

    def test_the_collector_counts_spans(self):
        port = processes.free_ports(1)[0]
        with collector.running(port):
            for count in (1, 3):
                connection = http.client.HTTPConnection(collector.ADDRESS, port, timeout=5)
                connection.request("POST", "/api/v2/spans", json.dumps([{}] * count))
                self.assertEqual(202, connection.getresponse().status)
                connection.close()
            self.assertEqual(4, collector.count(port))
        self.assertFalse(processes.listens(port, collector.ADDRESS))

    def test_ratios_to_both_references(self):
        result = comparison(image=[row(30.0)], envoy=[row(60.0)], haproxy=[row(15.0)]).describe()
        self.assertEqual(0.5, result["ratios"]["envoy"]["image"]["peak_rss_mb"]["median"])
        self.assertEqual(2.0, result["ratios"]["haproxy"]["image"]["peak_rss_mb"]["median"])
        self.assertNotIn("envoy", result["ratios"]["envoy"])

    def test_markdown_names_what_was_left_out_missed_and_stopped(self):
        told = comparison(image=[row(30.0, rate_rps=900.0, rate_missed=True)])
        told.left_out["envoy"] = "envoy is not installed: how to"
        told.failure = "3 requests failed"
        text = told.markdown()
        for words in ("left out: envoy is not installed: how to", "round 1, image: 900 requests a second of 1000", "3 requests failed"):
            self.assertIn(words, text)

if __name__ == "__main__":
    unittest.main()
