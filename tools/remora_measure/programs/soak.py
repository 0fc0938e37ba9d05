"""Runs the conformance test for hours, and fails if anything grows, no matter how slowly. RSS, direct memory, descriptors, threads and CPU usage are measured
in the second half of the steady window, and must not grow by more than the noise.

An interrupt ends the steady window early and evaluates the recorded data. Samples are written to a file as they arrive. A second interrupt ends it
immediately.

Exit status: 0 pass, 1 fail, 2 inconclusive, 3 could not run (with the reason).
"""
import dataclasses
import signal
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from ..command_line import end_with
from ..conformance import growth, plan, verdict
from . import conformance

TWO_HOURS_S = 7200.0
LONGEST_PERIOD_S = 10.0
# figure, key of a sample, unit, the least growth that is not taken for noise
FOLLOWED = (
    ("direct memory growth", "direct_mb", "MB", 0.5),
    ("growth of descriptors", "descriptors", "", 4),
    ("growth of threads", "threads", "", 1),
)
LEAST_CPU_GROWTH = 0.01


class Interrupts:
    """Turns an interrupt in the steady window into a request to end it. Owner: the main thread."""

    def __init__(self) -> None:
        self.steady = self.asked = False
        signal.signal(signal.SIGINT, self.interrupt)

    def interrupt(self, *_: object) -> None:
        if self.asked or not self.steady:
            raise KeyboardInterrupt
        self.asked = True

    def stop_early(self) -> bool:
        """Asked in the steady window, and after it."""
        self.steady = True
        return self.asked


def judge(asked: plan.Plan, measured: Mapping[str, Any]) -> list[verdict.Row]:
    """The rows of a conformance test, and those of what must not grow."""
    samples = measured["samples"]
    rows = [growth.growth_row(name, samples, key, unit, least) for name, key, unit, least in FOLLOWED]
    return [*conformance.judge(asked, measured, in_soak=True), *rows, growth.cpu_growth_row(samples, LEAST_CPU_GROWTH)]


def run(words: Sequence[str] | None) -> int:
    asked = plan.read("soak", __doc__, words, duration_s=TWO_HOURS_S)
    period_s = min(LONGEST_PERIOD_S, max(0.5, asked.duration_s / 100))
    return conformance.run(dataclasses.replace(asked, period_s=period_s), "soak", judge, Interrupts().stop_early)


def main(words: Sequence[str] | None = None) -> NoReturn:
    end_with("soak", lambda: run(words))


if __name__ == "__main__":
    main()
