"""Changes a sidecar repeatedly under load: `reload` a hundred times a minute, `takeover` ten times in a row.

The load consists of 1,000 requests a second on existing connections, and 50 new connections a second with one request each. No request may be lost, and RSS,
descriptors and threads must not grow. For reloads, growth is measured in the second half of the run. For takeovers, it is measured between processes of the
same age, and must exceed their random difference. One reload in ten uses a configuration that must be rejected. Takeovers need the library of the runtime
images.

Exit status: 0 pass, 1 fail, 2 inconclusive, 3 could not run (with the reason).
"""
import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from .. import arms, changes
from ..command_line import Parser, described, end_with, new_folder
from ..conformance import report, verdict
from ..errors import CouldNotRun
from ..machine import cores, kernel, processes
from ..systems import sidecars


def read_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = Parser("soak-changes", __doc__)
    parser.add_argument("kind", choices=(changes.RELOAD, changes.TAKEOVER))
    parser.add_argument("--image", default="i386-client", help="name of a runtime image, or host")
    parser.add_argument("--command", help="command to start instead of an image; {config} is replaced by the path of the configuration")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--changes", type=int, help=f"number of changes (default: {changes.RELOADS_A_MINUTE} reloads a minute, or {changes.TAKEOVERS} takeovers)")
    parser.add_argument("--rate", type=float, default=1000, help="requests per second on existing connections")
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--newcomers", type=float, default=50, help="new connections per second, with one request each")
    parser.add_argument("--routes", type=int, default=0, help=f"number of additional routes; from {changes.ROUTES:,} on, half of the reloads must take at most {changes.MOST_MS} ms")
    parser.add_pin()
    parser.add_reports()
    return parser.parse_args(words)


def asked_for(options: argparse.Namespace) -> changes.Asked:
    by_default = round(options.minutes * changes.RELOADS_A_MINUTE) if options.kind == changes.RELOAD else changes.TAKEOVERS
    return changes.Asked(options.kind, options.image, 60 * options.minutes, max(1, options.changes or by_default), options.rate, options.connections,
                         options.newcomers, options.command, options.routes)


def run(options: argparse.Namespace) -> int:
    asked = asked_for(options)
    if not options.command:
        if options.image in sidecars.CONTAINERS:
            raise CouldNotRun("a container's process is not reloaded or taken over from outside; --image names a runtime image or host")
        sidecars.require_image(options.image)
    name = f"soak-{options.kind}"
    rig_cores, own_cores = cores.parted(options.pin)
    with tempfile.TemporaryDirectory(prefix=f"{name}.") as work, cores.kept_to(rig_cores), arms.bench(Path(work), "bundled", 1024) as bench:
        found = changes.run(asked, bench, own_cores, *processes.free_ports(1))
        logs = {path.name: path.read_text(errors="replace") for path in sorted(Path(work).glob("sidecar-*.log"))}
    rows = changes.judge(asked, found)
    result = {**kernel.when_and_where(), "options": described(options),
              "verdict": verdict.overall(rows), "reasons": verdict.reasons(rows), "rows": verdict.as_dicts(rows), **found}
    directory = new_folder(options.reports, name)
    (directory / f"{name}.json").write_text(json.dumps(result, indent=1))
    for log, text in logs.items():
        (directory / log).write_text(text)
    print(report.table(result))
    print(result["verdict"])
    print("\n".join([*found["failures"][:10], *found["reasons"], f"{directory}/{name}.json"]), file=sys.stderr)
    return verdict.STATUS[result["verdict"]]


def main(words: Sequence[str] | None = None) -> NoReturn:
    end_with("soak-changes", lambda: run(read_arguments(words)))


if __name__ == "__main__":
    main()
