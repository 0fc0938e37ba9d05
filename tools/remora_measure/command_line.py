"""What the command lines of all programs share: options, progress, and how a program ends."""
import argparse
import itertools
import signal
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from .errors import CouldNotRun, DidNotEnd
from .repository import REPORTS

COULD_NOT_RUN = 3


class Parser(argparse.ArgumentParser):
    """Prints the description as it is written, and never ends the process with a status that stands for a verdict."""

    quick: Mapping[str, object] = {}

    def __init__(self, name: str, description: str | None, **more: bool) -> None:
        super().__init__(name, description=description, formatter_class=argparse.RawDescriptionHelpFormatter, add_help=more.get("add_help", True),
                         allow_abbrev=more.get("allow_abbrev", True))

    def error(self, message: str) -> NoReturn:
        """Argparse itself would end with 2, which stands for inconclusive."""
        raise CouldNotRun(f"{message}; --help tells")

    def add_load(self, rounds: int, connections: int = 16, of_connections: str | None = None) -> None:
        """What every comparison is asked for."""
        self.add_argument("--rounds", type=int, default=rounds)
        self.add_argument("--rate", type=int, default=1000, help="requests per second; the sidecar uses the profile for this rate")
        self.add_argument("--connections", type=int, default=connections, help=of_connections)

    def add_quick(self, **shorter: object) -> None:
        """An option by which a run is seen to work, with other defaults; what else is asked for stands."""
        self.quick = shorter
        self.add_argument("--quick", action="store_true", help="see the program work in about a minute; its figures mean nothing")

    def parse(self, words: Sequence[str] | None) -> argparse.Namespace:
        """The options, with the defaults of a quick run where one is asked for."""
        options = self.parse_args(words)
        if not getattr(options, "quick", False):
            return options
        self.set_defaults(**self.quick)
        return self.parse_args(words)

    def add_pin(self, whose: str = "the sidecar") -> None:
        self.add_argument("--no-pin", dest="pin", action="store_false", help=f"do not pin to cores: {whose} and the measuring programs share all cores")

    def add_busy(self) -> None:
        self.add_argument("--busy", action="store_true", help="measure next to a competing load: one process on each core that computes all the time, at normal priority")

    def add_reports(self) -> None:
        self.add_argument("--reports", type=Path, default=REPORTS, help="directory for the results")


def new_folder(reports: Path, name: str) -> Path:
    """For the result of a run that begins now; others may begin in the same second."""
    reports.mkdir(parents=True, exist_ok=True)
    named = time.strftime(f"{name}-%Y%m%d-%H%M%S")
    folder = reports / named
    for number in itertools.count(2):
        try:
            folder.mkdir()
            break
        except FileExistsError:
            folder = reports / f"{named}-{number}"
    return folder


def described(options: argparse.Namespace) -> dict[str, object]:
    """Parsed options as JSON has them."""
    return {key: str(value) if isinstance(value, Path) else value for key, value in vars(options).items()}


def say(text: str) -> None:
    """Reports progress to a watching user."""
    print(time.strftime("%H:%M:%S"), text, file=sys.stderr, flush=True)


def end_with(name: str, action: Callable[[], int]) -> NoReturn:
    """Ends the process with the action's status.

    What could not run says so in one line and is never taken for a verdict, with any exception. An interrupt ends in order."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup leaves it
            signal.signal(number, lambda received, _: sys.exit(128 + received))
    try:
        sys.exit(action())
    except (CouldNotRun, DidNotEnd, OSError) as missing:
        could_not_run(name, missing)
    except SystemExit as end:
        if not isinstance(end.code, str):
            raise
        could_not_run(name, end.code)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as fault:  # a fault of this program: without this the status would be that of a sidecar that failed
        traceback.print_exc()
        could_not_run(name, repr(fault))


def could_not_run(name: str, why: object) -> NoReturn:
    print(f"{name}: could not run: {why}", file=sys.stderr)
    sys.exit(COULD_NOT_RUN)
