"""One run of one system: at a fixed rate, and in a closed loop."""
import re
import shutil
import time

from . import arms, kernel, processes, tools, wire

LEAD_S = 0.3
SHARE_MISSED = 0.01


class Failed(Exception):
    """Requests failed, so that the figures would be about something else."""


def failure_of(measure):
    """Why a measurement stopped, which is told at once; None where it came to its end."""
    try:
        measure()
    except Failed as failed:
        arms.say(f"stopped: {failed}")
        return str(failed)
    return None


class Host:
    """What the machine itself did meanwhile: how late it let a sleeper wake, and the CPU time that was stolen from it."""

    def __init__(self, hiccups, file):
        self.hiccups, self.file = hiccups, file
        hiccups.begin()
        self.steal = kernel.Steal()

    def end(self):
        told = self.hiccups.end(self.file)
        return {**{f"hiccup_{key}": told[key] for key in ("p99_us", "p999_us", "max_us", "over_5ms")},
                "steal_share": self.steal.share()}


def fixed_rate(family, bench, options, session, hiccups):
    """A row of figures of the steady window; family None stands for the way straight to the backend. Raises Failed."""
    port = bench.ports.front if family else bench.ports.backend
    session.begin(options.rate, options.connections, options.warmup, options.seconds, port=port)
    time.sleep(LEAD_S + options.warmup)
    host = Host(hiccups, bench.work / "hiccups.hlog")
    capture = tools.capture(bench.work / "wire.pcap", bench.log, bench.ports) if family and options.wire else None
    window = tools.Window(family.cpu_seconds if family else lambda: 0.0, bench.ports.backend)
    until = time.monotonic() + max(0.5, options.seconds - 2 * LEAD_S)
    captured_s = max(0.0, min(until - time.monotonic(), wire.CAPTURED_EXCHANGES / options.rate))
    if capture:
        try:
            time.sleep(captured_s)
        finally:
            processes.stop(capture)
    time.sleep(max(0.0, until - time.monotonic()))
    window.end()
    row = {**host.end(), "rate_rps": window.requests / window.seconds, "rate_missed": missed(window.requests, window.seconds, options.rate)}
    if family:
        row.update(cpu_us=window.cpu_us(), cpu_share=window.cpu_s / window.seconds, **family.memory())
    answer = session.answer()
    require_none_failed(answer["failed"])
    row.update({f"client_{key}": value for key, value in answer.items() if key.endswith("_us")})
    return {**row, **(wire_figures(bench, captured_s * options.rate) if capture else {})}


def require_none_failed(count):
    if count:
        raise Failed(f"{count:.0f} requests failed")


def missed(requests, seconds, planned_rps):
    """True when the backend was sent so much less than planned that latencies and CPU are those of another rate.

    One request may fall to either side of the window's ends."""
    return requests < planned_rps * seconds * (1 - SHARE_MISSED) - 1


def wire_figures(bench, expected):
    """Empty where the capture has too few of the exchanges that were expected."""
    told, _ = wire.read(bench.work / "wire.pcap", bench.ports, expected)
    if not told:
        return {}
    return {"wire_exchanges": told["count"], **{f"wire_{key}": told[key] for key in ("p50_us", "p99_us", "p999_us")}}


def closed_loop(family, bench, options):
    """Throughput and CPU with as many requests as the system answers; empty where there is no wrk. Raises Failed."""
    if not shutil.which("wrk"):
        return {}
    port = bench.ports.front
    tools.wrk(max(1, options.closed * 2 // 3), port).communicate()
    window = tools.Window(family.cpu_seconds, bench.ports.backend)
    told = tools.wrk(max(1, options.closed), port).communicate()[0]
    window.end()
    require_none_failed(wrk_failures(told))
    return {"closed_rps": window.requests / window.seconds, "closed_cpu_us": window.cpu_us(), "closed_rss_mb": family.sum_mb("VmHWM")}


def wrk_failures(told):
    """Requests that wrk counts as failed, from what it prints."""
    errors = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", told)
    statuses = re.search(r"Non-2xx or 3xx responses: (\d+)", told)
    return sum(map(int, (*(errors.groups() if errors else ()), *(statuses.groups() if statuses else ()))))
