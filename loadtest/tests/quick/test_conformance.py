"""One small run of the conformance test, with a sidecar that has a fault; and what cannot run at all."""
import os
import tempfile
import unittest

from remora_measure.machine import processes

from ..conformance_runs import FAILED, SMALL, ConformanceCase, Run, run_fault, sidecar


class Faults(ConformanceCase):
    def test_one_lost_request_in_a_hundred_is_seen_by_the_generator(self):
        # a rate of which a busy machine still makes twice as much
        run = run_fault("drop", 10, "--rps", "100")
        self.assert_clean_end(run, FAILED)
        self.assertEqual("fail", run.row("failed requests")["result"], run.output)
        # the generator's own: it hides what it can send again
        self.assertGreater(run.report["generator"]["failed"], 0)
        self.assert_told(run, "failed requests")


class NoVerdict(ConformanceCase):
    """What is not the sidecar's fault gives no verdict on it."""

    def test_an_unknown_image_is_named_with_what_makes_it(self):
        self.assert_could_not_run(Run("--image", "nonesuch"), "nonesuch", "make runtime IMAGE=nonesuch")

    def test_an_image_without_an_engine_names_the_engine(self):
        with tempfile.TemporaryDirectory() as nothing:
            run = Run("--image", "compact3", environment={**os.environ, "PATH": nothing, "JAVA_HOME": processes.default_java_home()})
        self.assert_could_not_run(run, "docker", "compact3")

    def test_a_machine_without_java_is_told_so(self):
        with tempfile.TemporaryDirectory() as nothing:
            run = Run("--command", sidecar("none"), environment={"PATH": nothing})
        self.assert_could_not_run(run, "java")

    def test_a_command_that_is_not_there_is_named(self):
        self.assert_could_not_run(Run(*SMALL, "--command", "/nonesuch/remora run"), "/nonesuch/remora")

    def test_a_wrong_word_is_not_taken_for_inconclusive(self):
        self.assert_could_not_run(Run("--rate", "5"), "--rate")


if __name__ == "__main__":
    unittest.main()
