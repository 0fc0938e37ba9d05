"""What the host explains of a sidecar's misses, and what it does not, by figures as real runs had them."""
import copy
import unittest

from remora_measure.conformance import controls, plan, verdict
from remora_measure.conformance.controls import Controls
from remora_measure.conformance.verdict import FAIL, INCONCLUSIVE, MISSING, PASS
from remora_measure.programs import conformance, soak

SECONDS = 60
SHARES = {"p50_us": 50, "p99_us": 99, "p999_us": 99.9, "max_us": 100}


def curve(**late):
    """A summary whose values exceed so many ms in such shares: ms_1=0.4, ms_5=0.075. All others are short."""
    steps = sorted((float(name.removeprefix("ms_")), share) for name, share in late.items())
    points = [[100 * (1 - share), ms * 1e3] for ms, share in steps]
    at = [[0.0, 50.0], [points[0][0], 60.0], *points, [100.0, steps[-1][0] * 2e3]]
    return {"count": 60_000, "curve": at, **{key: percentile(at, share) for key, share in SHARES.items()}}


def percentile(points, wanted):
    return next(us for share, us in points if share >= wanted)


QUIET = curve(ms_1=0.001, ms_5=0.0)


def samples(cpu=0.12, waited=0.01, busy=0.14, throttled=0.0, backend_us=150.0, backend_before_us=150.0):
    """A sample a second of shares and costs that stay as they are; the window begins at 0."""
    found, backend_cpu = [], 0.0
    for second in range(-20, SECONDS + 1):
        backend_cpu += (backend_us if second > 0 else backend_before_us) * 1_100 / 1e6
        found.append({"t_s": float(second), "cpu_s": cpu * second, "cpu_share": cpu, "waited_s": waited * second,
                      "cores_busy_s": busy * second, "throttled_s": throttled * second,
                      "backend_cpu_s": backend_cpu, "backend_served": 1_100 * (second + 20),
                      "rss_mb": 34.0, "peak_mb": 34.0, "compile_s": 1 + 0.002 * second,
                      "code_cache": {"all": {"used_mb": 2.0, "reserved_mb": 8.0}}})
    return found


def run(cpu=0.12, work_us=90.0, own=QUIET, wire=QUIET, hiccup=QUIET, direct=QUIET, wait=QUIET, generator_wait=QUIET, added=QUIET,
        **sampled):
    """What a run measured; a healthy sidecar on a quiet host but for what is said."""
    return {
        "samples": samples(cpu, **sampled), "cpu_share": cpu, "peak_rss_mb": 34.0, "steal_share": 0.0, "answered_rps": 1000.0,
        "compiled": {},
        "latency": {"inbound.proxy": own, "wire": wire, "host.hiccup": hiccup, "probe.direct": direct, "added": added,
                    "wait.sidecar": wait, "wait.generator": generator_wait},
        "generator": {"failed": 0, "warm_up_failed": 0, "ceiling_rps": 2200.0, "sent_rps": 1000.0, "p99_ms": 1, "max_ms": 9}, "probe": {},
        "control": {"apart": True, "full_rate_s": -9.5, "before": {"cpu_us": [90.0] * 100},
                    "sidecar": {"cpu_us": [work_us] * 400, "wall_us": [1.1 * work_us] * 400}},
    }


def judged(measured, *words, judge=conformance.judge):
    """{name: row} and the verdict."""
    rows = verdict.of_the_load_asked_for(judge(plan.read("conformance", "", list(words)), measured))
    return {row.name: row for row in rows}, verdict.overall(rows)


class PlantedTest(unittest.TestCase):
    """Each cause of a miss with its verdict; the figures are those of real runs in which it was planted."""

    HOG = {"waited": 0.35, "busy": 0.99, "wait": curve(**{"ms_0.5": 0.225, "ms_2.5": 0.06})}
    LATE = {"wire": curve(ms_1=0.4, ms_5=0.075), "own": curve(ms_1=0.075, ms_5=0.044)}

    def verdict_of(self, *words, **planted):
        self.rows, overall = judged(run(**planted), *words)
        return overall

    def test_a_healthy_sidecar_on_a_quiet_host_passes(self):
        self.assertEqual(PASS, self.verdict_of())

    def test_a_hog_beside_the_sidecar_makes_late_exchanges_inconclusive(self):
        self.assertEqual(INCONCLUSIVE, self.verdict_of(**self.HOG, **self.LATE))
        self.assertAlmostEqual(35, self.rows["host: sidecar kept from its cores"].value)
        self.assertIn("the host explains 70 %", self.rows["time in the proxy, p99"].note)

    def test_the_same_latency_without_a_hog_fails(self):
        self.assertEqual(FAIL, self.verdict_of(**self.LATE))

    def test_a_hog_beside_the_generator_shows_in_the_direct_arm(self):
        late = {"wire": curve(ms_1=0.125, ms_5=0.0125), "own": curve(ms_1=0.019, ms_5=0.002)}
        hogged = {"direct": curve(ms_1=0.3, ms_5=0.075), "generator_wait": curve(**{"ms_0.5": 0.35})}
        self.assertEqual(INCONCLUSIVE, self.verdict_of(**hogged, **late))
        self.assertEqual(FAIL, self.verdict_of(**late))

    def test_what_happens_on_two_cores_adds_up(self):
        late = {"wire": curve(ms_1=0.86, ms_5=0.21), "own": QUIET}
        beside = {"waited": 0.41, "busy": 0.99, "wait": curve(**{"ms_0.5": 0.3})}
        self.assertEqual(FAIL, self.verdict_of(**late, **beside))
        self.assertEqual(INCONCLUSIVE, self.verdict_of(**late, **beside, direct=curve(ms_1=0.6, ms_5=0.5)))

    def test_where_the_direct_arm_is_late_the_added_latency_is_no_pass(self):
        self.assertEqual(INCONCLUSIVE, self.verdict_of("--added-p99-ms", "1", direct=curve(ms_1=0.3, ms_5=0.075)))
        self.assertEqual(PASS, self.verdict_of("--added-p99-ms", "1"))
        self.assertEqual(FAIL, self.verdict_of("--added-p99-ms", "1", added=curve(ms_1=0.5, ms_5=0.0)))

    def test_a_slow_clock_makes_cpu_inconclusive_by_as_much_and_no_more(self):
        self.assertEqual(INCONCLUSIVE, self.verdict_of(cpu=0.28, busy=0.3, work_us=135.0))
        self.assertIn("was slower 1.50 times, without which it is 18.7", self.rows["CPU"].note)
        self.assertEqual(FAIL, self.verdict_of(cpu=0.28, busy=0.3))

    def test_a_sidecar_that_takes_twice_the_cpu_fails_on_a_slow_host_too(self):
        self.assertEqual(FAIL, self.verdict_of(cpu=0.36, busy=0.38, work_us=135.0))
        self.assertEqual(FAIL, self.verdict_of(cpu=0.36, **self.HOG, **self.LATE))
        self.assertEqual(INCONCLUSIVE, self.rows["time in the proxy, p99"].result)

    def test_the_backends_cpu_tells_of_a_slow_host_too(self):
        self.assertEqual(INCONCLUSIVE, self.verdict_of(cpu=0.28, busy=0.3, backend_us=240.0))

    def test_a_sidecar_that_keeps_its_own_core_busy_does_not_excuse_itself(self):
        self.assertEqual(FAIL, self.verdict_of(cpu=0.97, waited=0.4, busy=0.99, **self.LATE))
        self.assertEqual(FAIL, self.rows["time in the proxy, p99"].result)
        self.assertEqual(0, self.rows["host: sidecar kept from its cores"].value)

    def test_a_cpu_limit_of_the_sidecar_is_its_own(self):
        limited = {"cpu": 0.08, "waited": 2.7, "busy": 0.1, "throttled": 0.9}
        self.assertEqual(FAIL, self.verdict_of(**limited, **self.LATE))
        self.assertAlmostEqual(90, self.rows["sidecar stopped by its CPU limit"].value)
        # others that ran meanwhile were not what stopped it
        self.assertEqual(FAIL, self.verdict_of(**{**limited, "busy": 0.99}, **self.LATE))

    def test_a_sidecar_that_is_always_late_is_excused_by_no_tail_of_the_host(self):
        disturbed = {"hiccup": curve(ms_1=0.012, ms_5=0.0), "wait": curve(**{"ms_0.5": 0.05}), "direct": curve(ms_1=0.03, ms_5=0.001)}
        self.assertEqual(FAIL, self.verdict_of(own=curve(ms_1=0.99, ms_5=0.0), wire=curve(ms_1=1.0, ms_5=0.0), **disturbed))

    def test_compiling_is_timed_by_the_wall_which_a_hog_makes_longer(self):
        def compiling(**planted):
            measured = run(**planted)
            for one in measured["samples"]:
                one["compile_s"] = 0.08 * one["t_s"]
            return judged(measured)[0]["compiling in the steady window"].result

        self.assertEqual([FAIL, INCONCLUSIVE], [compiling(), compiling(**self.HOG)])

    def test_methods_compiled_late_come_together_where_others_had_the_core(self):
        def compiled(worst, **planted):
            return judged({**run(**planted), "compiled": {3: 40, 4: worst}})[0]["methods compiled in the worst second"].result

        self.assertEqual([FAIL, INCONCLUSIVE, FAIL], [compiled(150), compiled(150, **self.HOG), compiled(160, **self.HOG)])

    def test_under_another_load_than_the_one_asked_for_nothing_fails(self):
        def failed(late_share):
            measured = run()
            measured["generator"].update(failed=148, late_share=late_share)
            return judged(measured)[0]["failed requests"]

        self.assertEqual(FAIL, failed(0.0).result)
        self.assertEqual(INCONCLUSIVE, failed(0.97).result)
        self.assertIn("under another load", failed(0.97).note)

    def test_nor_does_what_a_soak_adds(self):
        def grown(late_share):
            measured = run()
            measured["generator"]["late_share"] = late_share
            for one in measured["samples"]:
                one["descriptors"] = 100 + one["t_s"]
            return judged(measured, judge=soak.judge)[0]["growth of descriptors"].result

        self.assertEqual([FAIL, INCONCLUSIVE], [grown(0.0), grown(0.97)])

    def test_a_sidecar_that_gave_up_fails_under_any_load(self):
        measured = {**run(), "sidecar_fault": "ended"}
        measured["generator"].update(failed=148, late_share=0.97)
        rows, overall = judged(measured)
        self.assertEqual([FAIL, FAIL, FAIL], [rows["the sidecar"].result, rows["failed requests"].result, overall])

    def test_answers_owed_while_others_had_the_core_are_no_miss(self):
        def answered(rps, **planted):
            return judged({**run(**planted), "answered_rps": rps})[0]["rate answered"].result

        self.assertEqual([FAIL, INCONCLUSIVE, FAIL], [answered(980.0), answered(980.0, **self.HOG), answered(500.0, **self.HOG)])


class ControlsTest(unittest.TestCase):
    def test_a_share_above_a_bar_lies_between_the_points_of_a_curve(self):
        told = {"curve": [[0.0, 0.0], [90.0, 1000.0], [100.0, 3000.0]]}
        self.assertEqual([1.0, 0.1, 0.05, 0.0, 0.0], [round(controls.share_above(told, ms), 6) for ms in (0, 1, 2, 3, 9)])
        self.assertEqual([0.0, 0.0], [controls.share_above(nothing, 1) for nothing in (None, {})])

    def test_what_was_not_measured_explains_nothing(self):
        nothing = Controls()
        self.assertEqual((1.0, 1.0, 0.0), (nothing.slowing(), nothing.contention(0.1), nothing.late_share(1.0, "p99_us")))
        rows, overall = judged({**run(), "control": {}})
        self.assertEqual(MISSING, rows["host: fixed piece of work"].result)
        self.assertEqual(PASS, overall)

    def test_without_cores_of_its_own_a_sidecar_may_be_what_delays_the_direct_arm(self):
        measured = run(direct=curve(ms_1=0.3, ms_5=0.1), wire=curve(ms_1=0.2, ms_5=0.0))
        shared = copy.deepcopy(measured)
        shared["control"]["apart"] = False
        self.assertEqual([INCONCLUSIVE, FAIL], [judged(one)[1] for one in (measured, shared)])

    def test_hiccups_count_from_the_bar_on(self):
        def explained(**late):
            return Controls(hiccups=curve(**late)).late_share(1.0, "p99_us")

        self.assertEqual(0.0, explained(**{"ms_0.5": 0.04, "ms_0.9": 0.01}))
        self.assertAlmostEqual(0.08, explained(**{"ms_0.5": 0.04, "ms_1.1": 0.01}))

    def test_one_accident_in_a_window_is_no_slow_host(self):
        self.assertEqual(1.0, controls.slowing_of_work([80.0] * 30, [80.0] * 39 + [40_000.0]).factor)
        self.assertEqual(2.0, controls.slowing_of_work([80.0] * 30, [160.0] * 40).factor)
        self.assertIsNone(controls.slowing_of_work([80.0] * 30, [160.0] * 19))

    def test_the_host_is_not_slower_by_what_pieces_vary(self):
        def slowing(us):
            return Controls(work=controls.slowing_of_work([100.0] * 30, [us] * 30)).slowing()

        self.assertEqual([1.0, 1.0, 1.2], [slowing(us) for us in (70.0, 109.0, 120.0)])

    def test_the_backend_is_compared_with_itself_before_the_window_at_the_same_rate(self):
        told = samples(backend_us=300.0, backend_before_us=200.0)
        self.assertAlmostEqual(1.5, controls.slowing_of_backend(told, -9.5).factor, places=1)
        for too_little in (None, -0.5):
            self.assertIsNone(controls.slowing_of_backend(told, too_little))

    def test_others_keep_a_sidecar_no_longer_than_they_ran(self):
        def kept(**figures):
            return round(controls.kept_by_others([one for one in samples(**figures) if one["t_s"] >= 0])[0], 6)

        self.assertEqual(0.35, kept(cpu=0.1, waited=0.35, busy=0.98))
        self.assertEqual(0.3, kept(cpu=0.1, waited=0.9, busy=0.4))
        self.assertEqual(0.0, kept(cpu=0.1, waited=0.02, busy=0.14))
        self.assertEqual((None, None), controls.kept_by_others([{"t_s": 0.0, "cpu_s": 1.0}, {"t_s": 1.0, "cpu_s": 1.1}]))


if __name__ == "__main__":
    unittest.main()
