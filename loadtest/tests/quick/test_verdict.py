"""The bars, at and on either side of them, and what makes a verdict inconclusive."""
import unittest

from remora_measure.conformance import growth, verdict
from remora_measure.conformance.controls import Controls
from remora_measure.conformance.verdict import FAIL, INCONCLUSIVE, MISSING, PASS, REPORTED


def at_p99(ms):
    """A latency of that p99, and of half as much at most nine times in ten."""
    return {"p99_us": ms * 1e3, "curve": [[0.0, 1.0], [90.0, ms * 500], [99.0, ms * 1e3], [100.0, ms * 2e3]]}


def latency(own_ms, wire_ms=None):
    tags = {"inbound.proxy": own_ms, "wire": wire_ms}
    return {tag: at_p99(ms) for tag, ms in tags.items() if ms is not None}


def p99(*figures, hiccup_ms=0.1):
    return verdict.latency_row("p99", "p99_us", 1.0, latency(*figures), host=Controls(hiccups=at_p99(hiccup_ms)))


def growing(per_second, seconds=60, start=34.0):
    return [{"t_s": float(second), "rss_mb": start + per_second * second} for second in range(-5, seconds)]


class LatencyTest(unittest.TestCase):
    def test_the_bar_itself_passes(self):
        self.assertEqual(PASS, p99(1.0, 1.0).result)
        self.assertEqual(FAIL, p99(1.001, 0.2).result)

    def test_the_worse_of_the_wire_and_its_own_counts(self):
        self.assertEqual((1.5, FAIL), (p99(0.2, 1.5).value, p99(0.2, 1.5).result))
        self.assertEqual((1.5, FAIL), (p99(1.5, 0.2).value, p99(1.5, 0.2).result))

    def test_without_a_wire_the_row_says_so(self):
        self.assertEqual(PASS, p99(0.2).result)
        self.assertIn("on the wire missing", p99(0.2).note)
        self.assertIn("missing: only 3", verdict.latency_row("p99", "p99_us", 1.0, latency(0.2), "only 3").note)

    def test_hiccups_beyond_the_bar_excuse_a_miss_and_nothing_else(self):
        self.assertEqual(INCONCLUSIVE, p99(1.5, hiccup_ms=1.2).result)
        self.assertEqual(FAIL, p99(1.5, hiccup_ms=0.9).result)
        self.assertEqual(PASS, p99(0.5, hiccup_ms=7.0).result)

    def test_hiccups_excuse_the_latency_that_a_caller_saw_too(self):
        def added(bar_ms, hiccup_ms):
            return verdict.added_row("p99", "p99_us", bar_ms, {"added": at_p99(1.5)}, Controls(hiccups=at_p99(hiccup_ms))).result

        self.assertEqual([REPORTED, PASS, FAIL, INCONCLUSIVE], [added(None, 9), added(1.5, 9), added(1.0, 0.9), added(1.0, 1.1)])

    def test_a_percentile_without_a_curve_is_excused_by_nothing(self):
        bare = {"inbound.proxy": {"p99_us": 1500.0}}
        self.assertEqual(FAIL, verdict.latency_row("p99", "p99_us", 1.0, bare, host=Controls(hiccups=at_p99(1.2))).result)

    def test_no_latency_at_all_is_no_pass(self):
        nothing = {"inbound.proxy": {"p99_us": None}, "wire": {"p99_us": None}}
        self.assertEqual(INCONCLUSIVE, verdict.latency_row("p99", "p99_us", 1.0, nothing).result)
        self.assertEqual(INCONCLUSIVE, verdict.latency_row("p99", "p99_us", 1.0, {}).result)


class GeneratorTest(unittest.TestCase):
    def results(self, *figures):
        return [row.result for row in verdict.generator_rows(1000, *figures)]

    def test_twice_the_rate_is_enough_and_less_is_not(self):
        self.assertEqual([PASS, PASS, PASS], self.results(2000, 1000, 1000))
        self.assertEqual([INCONCLUSIVE, PASS, PASS], self.results(1999, 1000, 1000))
        self.assertEqual([INCONCLUSIVE, INCONCLUSIVE, MISSING], self.results(None, None, None))

    def test_one_per_cent_is_within_the_rate(self):
        self.assertEqual([PASS, PASS, PASS], self.results(2000, 990, 1010))
        self.assertEqual(INCONCLUSIVE, self.results(2000, 989, 1000)[1])

    def test_requests_that_are_sent_in_batches_are_another_load(self):
        self.assertEqual([PASS, PASS, PASS], self.results(2000, 1000, 1000, 0.01))
        self.assertEqual([PASS, INCONCLUSIVE, FAIL], self.results(2000, 1000, 600, 0.011))
        self.assertEqual(INCONCLUSIVE, verdict.overall(verdict.generator_rows(1000, 2000, 1000, 600, 0.011)))

    def test_a_sidecar_that_answers_less_than_was_sent_fails(self):
        self.assertEqual([PASS, PASS, FAIL], self.results(2000, 1000, 980))

    def test_a_generator_that_missed_makes_every_other_failure_inconclusive(self):
        rows = [*verdict.generator_rows(1000, 1500, 1000, 1000), verdict.at_most("peak RSS", 200, "MB", 115)]
        self.assertEqual(INCONCLUSIVE, verdict.overall(rows))
        self.assertEqual(FAIL, verdict.overall(rows[1:]))


class ResourceTest(unittest.TestCase):
    def test_the_bar_for_memory_hangs_on_the_rate(self):
        self.assertEqual([105, 105, 115, 115, 300, 300, None], [verdict.rss_bar_mb(rps) for rps in (10, 100, 101, 1000, 1001, 40_000, 40_001)])

    def test_cpu_has_a_bar_up_to_a_thousand(self):
        self.assertEqual([FAIL, PASS, PASS], [row.result for row in verdict.resource_rows(1000, 115.5, 0.2, 0)])
        self.assertEqual([PASS, REPORTED, FAIL], [row.result for row in verdict.resource_rows(5000, 115.5, 0.9, 1)])

    def test_another_engine_has_bars_of_its_own(self):
        def results(rss, cpu, bits, rps=1000):
            return [row.result for row in verdict.resource_rows(rps, rss, cpu, 0, engine="finagle", bits=bits)[:2]]
        self.assertEqual([[PASS, PASS], [FAIL, FAIL]], [results(90, 0.559, 32), results(90.1, 0.561, 32)])
        self.assertEqual([[PASS, PASS], [FAIL, PASS]], [results(112, 0.5, 64), results(112.1, 0.5, 64)])
        self.assertEqual([PASS, REPORTED], results(299, 0.9, 64, 10_000))

    def test_a_figure_that_is_not_there_is_missing_and_never_a_pass(self):
        rows = verdict.resource_rows(1000, None, None, None)
        self.assertEqual([MISSING, MISSING, MISSING], [row.result for row in rows])
        self.assertEqual((INCONCLUSIVE, 3), (verdict.overall(rows), len(verdict.reasons(rows))))
        self.assertEqual(PASS, verdict.overall([verdict.at_most("added latency, p99", None, "ms", None)]))

    def test_a_sidecar_that_ended_fails(self):
        self.assertEqual([], verdict.fault_rows(None))
        missed = verdict.generator_rows(1000, None, None, None)
        self.assertEqual(FAIL, verdict.overall(verdict.fault_rows("ended by itself") + missed))


class GrowthTest(unittest.TestCase):
    def row(self, samples):
        return growth.growth_row("RSS growth", samples, "rss_mb", "MB", 1.0)

    def test_a_straight_line_is_measured_over_the_last_half(self):
        row = self.row(growing(0.1))
        self.assertAlmostEqual(2.9, row.value, places=3)
        self.assertEqual(FAIL, row.result)
        self.assertIn("+360 MB an hour", row.note)

    def test_what_grew_before_does_not_count(self):
        samples = growing(0.0)
        for one in samples:
            one["rss_mb"] -= 10 if one["t_s"] < 25 else 0
        self.assertEqual((0.0, PASS), (self.row(samples).value, self.row(samples).result))

    def test_shrinking_passes(self):
        self.assertEqual(PASS, self.row(growing(-1.0, start=100.0)).result)

    def test_a_host_that_slows_down_excuses_growth_of_cpu_by_as_much_and_no_more(self):
        def result(sidecar_growth, backend_growth):
            samples = [{"t_s": float(second), "cpu_share": 0.1 + sidecar_growth * second / 60,
                        "backend_cpu_share": 0.2 + backend_growth * second / 60} for second in range(61)]
            return growth.cpu_growth_row(samples, 0.01).result

        self.assertEqual(PASS, result(0.015, 0.0))
        self.assertEqual(FAIL, result(0.06, 0.0))
        self.assertEqual(INCONCLUSIVE, result(0.06, 0.12))
        self.assertEqual(FAIL, result(0.06, 0.02))
        self.assertEqual(FAIL, result(0.06, -0.1))

    def released(self, anonymous_per_second=0.0, beyond_mb=0.0):
        """Samples of a minute in which a sidecar of 25 MB releases 6 of its 14 MB of file pages at second 28, and reads them again until the end; and so much beyond."""
        file_mb = [14.0 if second < 28 else 8.0 + (6.0 + beyond_mb) * (second - 28) / 32 for second in range(-10, 61)]
        return [{"t_s": float(second), "file_mb": file, "rss_mb": 11.0 + anonymous_per_second * max(0, second) + file}
                for second, file in zip(range(-10, 61), file_mb, strict=True)]

    def test_file_pages_that_were_released_and_come_back_are_not_growth(self):
        self.assertEqual(FAIL, self.row(self.released()).result)
        row = growth.rss_growth_row(self.released())
        self.assertEqual((0.0, PASS), (row.value, row.result))

    def test_growth_of_other_memory_and_beyond_the_former_peak_fails(self):
        self.assertEqual(FAIL, growth.rss_growth_row(self.released(anonymous_per_second=0.05)).result)
        self.assertEqual(FAIL, growth.rss_growth_row(self.released(beyond_mb=6.0)).result)
        self.assertEqual(FAIL, growth.rss_growth_row(growing(0.1)).result)

    def test_a_release_in_the_window_does_not_hide_growth(self):
        """The plain line falls by the release."""
        samples = self.released(anonymous_per_second=0.05)
        for one in samples:
            if one["t_s"] >= 45:
                one["file_mb"], one["rss_mb"] = 8.0, one["rss_mb"] - one["file_mb"] + 8.0
        self.assertEqual(PASS, self.row(samples).result)
        self.assertEqual(FAIL, growth.rss_growth_row(samples).result)

    def test_a_few_samples_tell_nothing(self):
        self.assertEqual(MISSING, self.row(growing(0.1, seconds=4)).result)


class CompilerTest(unittest.TestCase):
    def cache(self, *used_mb):
        return [{"t_s": float(i), "code_cache": {"all": {"used_mb": used, "reserved_mb": 10.0}}} for i, used in enumerate(used_mb)]

    def results(self, samples, full=0):
        return [row.result for row in verdict.code_cache_rows(samples, full)]

    def test_four_fifths_of_the_code_cache_may_be_full(self):
        self.assertEqual([PASS, PASS], self.results(self.cache(7.0, 8.0)))
        self.assertEqual([FAIL, PASS], self.results(self.cache(7.0, 8.1)))

    def test_a_fall_of_a_cache_that_was_full_is_a_flush(self):
        self.assertEqual([PASS, FAIL], self.results(self.cache(7.9, 5.0)))
        self.assertEqual([PASS, FAIL], self.results(self.cache(1.0, 1.0), full=1))

    def test_a_storm_is_many_methods_in_one_second_or_compiling_all_the_time(self):
        steady = [{"t_s": 0.0, "compile_s": 5.0}, {"t_s": 60.0, "compile_s": 5.6}]
        self.assertEqual([PASS, PASS], [row.result for row in verdict.compile_rows(steady, {3: 100})])
        self.assertEqual([PASS, FAIL], [row.result for row in verdict.compile_rows(steady, {3: 101})])
        busy = [{"t_s": 0.0, "compile_s": 5.0}, {"t_s": 60.0, "compile_s": 8.6}]
        self.assertEqual([FAIL, MISSING], [row.result for row in verdict.compile_rows(busy, None)])


class Hopeless(unittest.TestCase):
    def test_many_failed_requests_are_the_sidecars_unless_most_were_sent_late(self):
        self.assertTrue(verdict.is_hopeless({"sent": 2700, "failed": 1001, "late": 30}))
        self.assertFalse(verdict.is_hopeless({"sent": 2700, "failed": 1000, "late": 0}))
        self.assertFalse(verdict.is_hopeless({"sent": 2700, "failed": 2116, "late": 2670}))
        self.assertFalse(verdict.is_hopeless({}))


if __name__ == "__main__":
    unittest.main()
