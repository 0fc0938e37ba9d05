"""What comparisons share: who contends, the loop of rounds, and how a measurement is run, saved as it grows, and reported."""
import argparse
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from .arms import Arm, Bench
from .command_line import new_folder, say
from .errors import CouldNotRun, DidNotEnd, RequestsFailed
from .load.java_tools import Tool
from .machine import cores, hogs
from .results.barred_comparison import BarredComparison
from .runs import failure_of

Benches = Mapping[str, Bench]
# Fills a comparison, has it saved after every run, and keeps to cores what may speak for the host.
Rounds = Callable[[Benches, argparse.Namespace, Any, Callable[[], None], set[int]], None]


class Contender(NamedTuple):
    about: Any
    arm: Arm
    bench: Bench


class Told(Protocol):
    """A comparison, which has a line for each row, and notes the arms that failed."""

    def line(self, row: Any) -> str: ...

    def fail(self, number: int, arm: str, why: str) -> None: ...


class LeftOut(Exception):
    """An arm that turns out not to be what it is about, and is measured no more."""


class Run(NamedTuple):
    """One arm in one round: what progress calls it, what measures its row, and who keeps that."""

    title: str
    measure: Callable[[], Any]
    keep: Callable[[int, Any], None]
    leave_out: Callable[[str], None] | None = None


def in_rounds(rounds: int, runs: Callable[[int], Iterable[Run]], told: Told, save: Callable[[], None], tools: Iterable[Tool] = ()) -> None:
    """Measures A B C, A B C, ..., and has the comparison saved after every run. An arm whose run does not end has failed in that round, and the next one
    follows, once those of the tools that were killed with it are ready again. Raises RequestsFailed and CouldNotRun, which name the arm."""
    tools = list(tools)
    for number in range(rounds):
        for run in runs(number):
            try:
                for tool in tools:
                    tool.revive()
                row = run.measure()
            except DidNotEnd as why:
                told.fail(number, run.title, str(why))
                say(f"round {number + 1} of {rounds}, arm {run.title}: {why}")
                save()
                continue
            except (RequestsFailed, CouldNotRun) as why:
                raise type(why)(f"arm {run.title}: {why}") from why
            except LeftOut as why:
                if not run.leave_out:
                    raise
                run.leave_out(str(why))
                say(f"left out: {why}")
                continue
            run.keep(number, row)
            say(f"round {number + 1} of {rounds}, {run.title}: " + told.line(row))
            save()


def require_known(name: str, asked: Iterable[str], known: Sequence[str]) -> None:
    """Raises CouldNotRun."""
    if unknown := set(asked) - set(known):
        raise CouldNotRun(f"{name}: there is no {', '.join(sorted(unknown))}; there are {', '.join(known)}")


def present(contenders: Iterable[Contender], told: BarredComparison[Any]) -> list[Contender]:
    """The systems that can run; a line reports each of the others, which are left out."""
    there = []
    for one in contenders:
        told.expect(one.about)
        if one.arm.missing:
            told.arms.pop(one.about.name)
            told.left_out[one.about.name] = f"{one.about.name}: {one.arm.missing}"
            say(f"left out: {told.left_out[one.about.name]}")
        else:
            there.append(one)
    return there


def compare(name: str, told: BarredComparison[Any], options: argparse.Namespace,
            benches_of: Callable[[Path, argparse.Namespace], AbstractContextManager[Benches]], rounds: Rounds) -> int:
    """Runs a comparison, and writes it below the reports as NAME.json and NAME.md. The exit status: 1 when it stopped, or an arm failed."""
    directory = new_folder(options.reports, name)
    targets = [directory / f"{name}.json", *([options.json] if options.json else [])]
    rig_cores, own_cores = cores.parted(options.pin)
    # not below reports: nginx's worker, another user, must be able to read there
    with tempfile.TemporaryDirectory(prefix=f"{name}.") as work, hogs.on(rig_cores | own_cores if options.busy else ()), cores.kept_to(rig_cores), benches_of(Path(work), options) as benches:
        told.failure = failure_of(lambda: rounds(benches, options, told, lambda: told.write(targets), own_cores))
        told.write(targets)
        (directory / f"{name}.md").write_text(told.markdown())
        print(told.markdown())
    print(f"{directory}/{name}.md, {name}.json", file=sys.stderr)
    return 1 if told.failure or told.failed_arms else 0
