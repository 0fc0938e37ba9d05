"""./measure: lists the programs, builds what one of them measures, and starts it."""
import runpy
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .command_line import COULD_NOT_RUN
from .machine import children
from .repository import REPOSITORY

# Targets of make that a program needs.
SIDECAR = ("build",)
LOADTEST = ("build", "loadtest/target/build.stamp")
NOTHING: Sequence[str] = ()
UNKNOWN_PROGRAM = 64


class Program(NamedTuple):
    """A module of programs, its first words, and one line about it. What it needs may depend on the word after its name."""

    module: str
    line: str
    needs: Sequence[str] = LOADTEST
    words: Sequence[str] = ()
    needs_by_word: Mapping[str, Sequence[str]] = {}

    def needs_of(self, words: Sequence[str]) -> Sequence[str]:
        return self.needs_by_word.get(words[0], self.needs) if words else self.needs


GROUPS: dict[str, dict[str, Program]] = {
    "Tests of one sidecar": {
        "conformance": Program("conformance", "check p99, p999 and memory at a rate"),
        "soak": Program("soak", "the same for hours; fails if anything grows"),
        "soak-reload": Program("soak_changes", "reload the configuration under load, 100 times a minute", words=["reload"]),
        "soak-takeover": Program("soak_changes", "replace the process under load, ten times", words=["takeover"]),
        "storm": Program("storm", "storms or hostile peers under a memory limit; root", SIDECAR),
    },
    "Comparisons": {
        "compare": Program("compare", "Envoy, HAProxy and nginx; --what tls, h2, faults ..."),
    },
    "Memory": {
        "chart": Program("rate_chart", "charts of memory, CPU and latency by rate"),
        "density": Program("density", "cost of each of many sidecars on one machine"),
        "working-set": Program("working_set", "working set and private memory, cold caches; root"),
        "least-limit": Program("least_limit", "lowest memory limit that works; root"),
        "endpoints": Program("endpoints", "cost of 1,000 endpoints and of replacing them"),
        "floods": Program("floods", "cost of HTTP/2 floods"),
        "idle-connections": Program("idle_connections", "cost of idle connections in a running sidecar", NOTHING),
    },
    "Speed": {
        "warm-up": Program("warm_up", "latency in the first second after a start"),
        "bench": Program("bench", "microbenchmarks: ns and bytes per operation", NOTHING),
        "bench-reload": Program("bench_reload", "duration of a reload with 1,000 routes", NOTHING),
    },
    "JVM profiles": {
        "evidence": Program("evidence", "effect of every flag of the profiles"),
        "try-flag": Program("try_flag", "effect of your own flags under your own load"),
        "lint-profiles": Program("lint_profiles", "check every flag on the JVM of every image", (*SIDECAR, "ENGINE=finagle")),
    },
    "Pages and tests": {
        "figures": Program("figures", "fill, check or replace the published figures", NOTHING),
        "balance-chart": Program("balance_chart", "simulate the balancers and draw docs/balancing.svg"),
        "test": Program("test", "quick, runs, profiles, figures, site, prose, ...", NOTHING,
                        needs_by_word={"quick": LOADTEST, "runs": LOADTEST, "profiles": SIDECAR, "observe": SIDECAR, "tutorials": (*LOADTEST, "ENGINE=finagle")}),
    },
}


def listed() -> str:
    lines = ["usage: ./measure PROGRAM [ARGS]; for details, use ./measure PROGRAM --help"]
    for group, programs in GROUPS.items():
        lines += ["", group, *(f"  {name:18}{program.line}" for name, program in programs.items())]
    return "\n".join(lines)


def build(needs: Sequence[str], words: Sequence[str]) -> None:
    """With the jars of the engine that the words ask for. What make writes goes to the standard error."""
    engine = ["ENGINE=finagle"] if "finagle" in words or "--engine=finagle" in words else []
    done = children.run(["make", "--no-print-directory", *needs, *engine], children.BUILD_S, cwd=REPOSITORY, stdout=sys.stderr)
    if done.returncode != 0:
        sys.exit(COULD_NOT_RUN)


def main(words: Sequence[str]) -> None:
    builds = list(words[:1]) == ["--build"]
    name, *rest = words[builds:] or ["--help"]
    if name in ("--help", "-h", "help"):
        print(listed())
        return
    program = next((programs[name] for programs in GROUPS.values() if name in programs), None)
    if program is None:
        print(f"measure: {name}: not known; ./measure --help lists the programs", file=sys.stderr)
        sys.exit(UNKNOWN_PROGRAM)
    needs = program.needs_of(rest)
    if builds and needs and not {"--help", "-h"} & set(rest):
        build(needs, rest)
    sys.argv = [name, *program.words, *rest]
    runpy.run_module(f"remora_measure.programs.{program.module}", run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
