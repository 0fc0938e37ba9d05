"""The evidence for the JVM profiles.

  run      measures, family by family, into evidence/results/FAMILY.jsonl; what is on file already is not measured again
  report   writes EVIDENCE.md from these files
  peaks    writes the measured peaks of memory, by which profiles are offered and memory limits judged, into ../peaks
"""
import argparse
import contextlib
import dataclasses
import shutil
import signal
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "loadtest")]

import families
import images
import peaks
import report
import runner
from footprint import processes, systems, tools
from arms import Windows


def read_arguments():
    parser = argparse.ArgumentParser(prog="evidence", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("run", "plan", "report", "peaks"))
    parser.add_argument("--families", help="names, by commas (all)")
    parser.add_argument("--arms", help="only the arms whose name has one of these words in it, by commas")
    parser.add_argument("--rounds", type=int, help="in the place of each family's own number")
    parser.add_argument("--warmup", type=float, help="seconds; with --seconds in the place of each family's own")
    parser.add_argument("--seconds", type=float, help="seconds measured, two fifths for memory and the rest for latencies")
    parser.add_argument("--images", type=Path, default=images.RUNTIME_IMAGES / "target", help="where the built images are")
    parser.add_argument("--results", type=Path, default=runner.RESULTS)
    parser.add_argument("--java-home", default=processes.default_java_home())
    options = parser.parse_args()
    if (options.warmup is None) != (options.seconds is None):
        parser.error("--warmup and --seconds go together")
    return options


def wanted(options):
    known = families.all_families()
    if not options.families:
        return known
    names = options.families.split(",")
    unknown = set(names) - {family.name for family in known}
    if unknown:
        sys.exit(f"evidence: no family {', '.join(unknown)}; there are {', '.join(family.name for family in known)}")
    return [family for family in known if family.name in names]


def only(family, keep):
    return dataclasses.replace(family, arms=tuple(arm for arm in family.arms if keep(arm)))


def plan(chosen, options, windows):
    total = 0
    for family in chosen:
        rounds = options.rounds or family.rounds
        remaining = runner.still_to_run(family, rounds, runner.on_file(family.name, options.results))
        seconds = sum(runner.run_seconds(family, arm, windows) for _, arm in remaining)
        total += seconds
        print(f"{family.name:20} {len(family.arms):3} arms, {rounds} rounds, {len(remaining):4} runs to do, {seconds / 60:5.1f} minutes")
    print(f"{'planned':20} {total / 60:.0f} minutes", flush=True)


def run(options):
    images.require("nginx", "wrk")
    windows = Windows(options.warmup, options.seconds * 0.4, options.seconds * 0.6) if options.seconds else None
    chosen = wanted(options)
    if options.arms:
        words = options.arms.split(",")
        chosen = [only(family, lambda arm: any(word in arm.name for word in words)) for family in chosen]
    plan(chosen, options, windows)
    if options.command == "plan":
        return
    work = Path(tempfile.mkdtemp(prefix="evidence."))
    systems.write_configs(work)
    try:
        with open(work / "log", "wb") as log:
            measure_all(chosen, options, windows, work, log)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def measure_all(chosen, options, windows, work, log):
    with contextlib.ExitStack() as started:
        nginx = systems.start_backend(work, log)
        started.callback(processes.stop, nginx)
        session = tools.LoadSession(work, options.java_home, log, systems.FIXED)
        started.callback(session.close)
        hiccups = tools.HiccupMeter(options.java_home, log)
        started.callback(hiccups.close)
        known = images.Images(options.images, options.java_home, work, log)
        missing = known.prepare([arm for family in chosen for arm in family.arms])
        if not systems.envoy_program():
            missing[""] = "no envoy on the PATH"
        for image, problem in missing.items():
            print(f"left out: {image or 'envoy'}: {problem}", file=sys.stderr)
        session.run(2000, 16, 3, 1, port=systems.FIXED.backend)
        one = runner.Runner(work, log, session, hiccups, known, options.results)
        for family in chosen:
            one.run(only(family, lambda arm: arm.image not in missing), options.rounds or family.rounds, windows)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("evidence: ended by a signal"))
    options = read_arguments()
    if options.command == "report":
        report.write(options.results)
    elif options.command == "peaks":
        peaks.write(options.results)
    else:
        run(options)


if __name__ == "__main__":
    main()
