"""The charts of reports: what they show, and that Draw draws them."""
import os
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from remora_measure.charts import drawing, run_charts

from ..example_result import example


class Describing(unittest.TestCase):
    def test_a_percentile_curve_is_in_ms_over_the_odds(self):
        curve = [[0.0, 100.0], [90.0, 200.0], [99.9, 5000.0], [100.0, 9000.0]]
        [series] = run_charts.percentile_curves({"wire": {"curve": curve}})["series"]
        self.assertEqual(series["x"], [1, 10, 1000])
        self.assertEqual(series["y"], [0.1, 0.2, 5])

    def test_what_a_logarithmic_scale_cannot_show_is_left_out(self):
        latency = {"added": {"curve": [[50.0, -3.0], [90.0, 0], [99.0, None], [], None]}, "wire": None, "probe.direct": {}}
        self.assertIsNone(run_charts.percentile_curves(latency))

    def test_a_counter_is_shown_as_its_rise_a_second(self):
        samples = [{"t_s": -1, "compile_s": 1.0}, {"t_s": 1, "compile_s": 1.5}, {"t_s": 2}, {"t_s": 3, "compile_s": 1.5}]
        described = run_charts.over_time(samples)
        self.assertEqual(list(described), ["compilation"])
        self.assertEqual(described["compilation"]["series"][0]["x"], [1, 3])
        self.assertEqual(described["compilation"]["series"][0]["y"], [25, 0])

    def test_lag_is_the_mean_of_what_was_counted_meanwhile(self):
        samples = [{"t_s": at, "loop_lag_s": total, "loop_lag_count": count} for at, total, count in ((0, 1.0, 10), (1, 1.5, 20), (2, 1.5, 20))]
        lag = run_charts.over_time(samples)["loop-lag"]["series"][0]
        self.assertEqual(([1], [50]), (lag["x"], lag["y"]))

    def test_every_figure_over_time_has_its_chart(self):
        described = run_charts.over_time(example()["samples"])
        self.assertEqual([one["name"] for one in described["memory"]["series"]], ["working set", "private", "RSS", "anonymous", "file-backed", "peak RSS"])
        self.assertEqual(described["cpu"]["series"][0]["y"][20], 12)
        self.assertEqual([one["name"] for one in described["code-cache"]["series"]], ["all, used", "all, reserved"])

    def test_a_long_run_is_shown_in_hours(self):
        described = run_charts.over_time([{"t_s": 0, "rss_mb": 1}, {"t_s": 4 * 3600, "rss_mb": 2}])
        self.assertEqual(described["memory"]["series"][0]["x"], [0, 4])
        self.assertIn("hours", described["memory"]["x"]["title"])

    def test_thinning_keeps_peaks_order_and_the_end(self):
        points = [(at, 0.0) for at in range(10_000)]
        points[4321], points[7000] = (4321, 9.0), (7000, -9.0)
        thin = run_charts.thinned(points)
        self.assertLessEqual(len(thin), run_charts.MOST_POINTS + 1)
        self.assertLessEqual({points[4321], points[7000], points[-1]}, set(thin))
        self.assertEqual(thin, sorted(thin))

    def test_no_samples_make_no_charts(self):
        for samples in ([], [None, {}], [{"t_s": 1}], [{"t_s": 1, "code_cache": None, "rss_mb": None}], [{"t_s": None, "rss_mb": 3}]):
            self.assertEqual(run_charts.over_time(samples), {})


class Drawing(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.directory = Path(work.name)

    def test_a_long_run_makes_small_files(self):
        samples = [{"t_s": at, "rss_mb": 30 + at % 7, "anon_mb": at % 5, "file_mb": 18, "peak_mb": 37} for at in range(7200)]
        described = {**run_charts.over_time(samples), "latency": run_charts.percentile_curves(example()["latency"])}
        drawn = drawing.draw(described, self.directory / "charts")
        self.assertEqual(sorted(drawn), ["latency", "memory"])
        for name, svg in drawn.items():
            self.assertLess(len(svg), 100_000)
            self.assertTrue(ElementTree.fromstring(svg).tag.endswith("}svg"))
            self.assertEqual((self.directory / f"charts/{name}.png").read_bytes()[:4], b"\x89PNG")

    def test_nothing_is_drawn_of_nothing(self):
        self.assertEqual(drawing.draw({}, self.directory / "charts"), {})
        self.assertFalse((self.directory / "charts").exists())

    def test_a_failure_to_draw_is_told_in_a_line(self):
        with self.assertRaisesRegex(drawing.NotDrawn, "^Draw: .*there is no series$"):
            drawing.draw({"empty": {"title": "", "x": {}, "y": {}, "series": []}}, self.directory)

    def test_a_missing_java_is_told_in_a_line(self):
        before = os.environ.get("JAVA_HOME")
        self.addCleanup(lambda: os.environ.pop("JAVA_HOME") if before is None else os.environ.update(JAVA_HOME=before))
        os.environ["JAVA_HOME"] = str(self.directory / "no-jdk")
        with self.assertRaisesRegex(drawing.NotDrawn, "no-jdk/bin/java"):
            drawing.draw(run_charts.over_time(example()["samples"]), self.directory)
