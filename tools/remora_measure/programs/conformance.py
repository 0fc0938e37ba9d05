"""The footprint conformance test, which runs one sidecar at one rate and reports a single result.

Exit status: 0 pass, 1 fail, 2 inconclusive, 3 could not run (with the reason).
"""
import datetime
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from ..command_line import end_with, new_folder
from ..conformance import controls, growth, host_rows, memory_rows, plan, protocol_rows, report, tls_rows, verdict
from ..conformance.plan import Plan
from ..conformance.rig import Rig
from ..errors import CouldNotRun
from ..machine import kernel
from ..systems import sidecars

Measured = Mapping[str, Any]


def judge(asked: Plan, measured: Measured, in_soak: bool = False) -> list[verdict.Row]:
    """The rows of a run, in the order of the table."""
    latency, samples, load = measured["latency"], measured["samples"], measured["generator"]
    cpu_share, host = measured.get("cpu_share"), controls.of(measured)
    tls, peak = measured.get("system", {}).get("tls"), peak_rss_mb(measured)
    more_mb = tls_rows.rss_mb(tls) + protocol_rows.rss_mb(asked.protocol)
    rss, *others = verdict.resource_rows(asked.rps, peak, cpu_share, failed_requests(asked, measured), host, more_mb,
                                         ", ".join(filter(None, (tls_rows.rss_note(tls), protocol_rows.rss_note(asked.protocol)))), asked.engine,
                                         measured.get("system", {}).get("bits"))
    return [
        *verdict.fault_rows(measured.get("sidecar_fault")),
        verdict.latency_row("p99", "p99_us", verdict.P99_MS, latency, measured.get("wire_missing"), host),
        verdict.latency_row("p999", "p999_us", verdict.P999_MS, latency, measured.get("wire_missing"), host),
        *(tls_rows.wire_rows(tls, measured.get("wire_missing")) or protocol_rows.clock_rows(asked.protocol, measured.get("wire_missing"))),
        *verdict.unseen_wire_rows(bool(asked.running) and not asked.is_over_http2, measured.get("wire_missing")),
        verdict.added_row("p99", "p99_us", asked.added_p99_ms, latency, host),
        verdict.added_row("p999", "p999_us", asked.added_p999_ms, latency, host),
        rss,
        *memory_rows.rows(asked, measured, peak, more_mb, host, in_soak),
        *others,
        *verdict.generator_rows(asked.rps, load.get("ceiling_rps"), load.get("sent_rps"), measured.get("answered_rps"),
                                load.get("late_share"), host),
        *verdict.code_cache_rows(samples, measured.get("code_cache_full", 0)),
        *verdict.compile_rows(samples, measured.get("compiled"), cpu_share, host, measured.get("log_missing")),
        growth.rss_growth_row(samples),
        *verdict.gross_rows(load, "requests as the generator saw them" if asked.is_over_http2 else "GETs as Gatling saw them"),
        *host_rows.host_rows(host, measured["steal_share"]),
    ]


def peak_rss_mb(measured: Measured) -> float | None:
    """The kernel's own mark at the window's end; of a sidecar that ended before, that of its last sample."""
    peaks = [one["peak_mb"] for one in measured["samples"]] + [measured.get("peak_rss_mb", 0.0)]
    return max(peaks) or None


def failed_requests(asked: Plan, measured: Measured) -> int | None:
    """Of Gatling, the warm-up's among them, and of the probe; the probe's are left out where the backend was told to fail."""
    load, probe = measured["generator"], measured.get("probe", {})
    if load.get("failed") is None:
        return None
    return load["failed"] + (load["warm_up_failed"] or 0) + (0 if asked.error_share else int(probe.get("proxy_failed", 0)))


def result_of(asked: Plan, measured: Measured, rows: list[verdict.Row], seconds: float) -> dict[str, Any]:
    """The run as report.json has it."""
    outcome = verdict.overall(rows)
    return {
        "verdict": outcome, "at": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "seconds_total": round(seconds, 1), "plan": asked.describe(), "rows": verdict.as_dicts(rows), "reasons": verdict.reasons(rows),
        "system": measured["system"], "memory": measured.get("memory"), "machine": {**kernel.describe_machine(), "steal_share": measured["steal_share"]},
        "latency": measured["latency"], "samples": measured["samples"], "generator": measured["generator"], "control": measured["control"],
    }


def require_backend(measured: Measured) -> None:
    """The direct arm goes past the sidecar: what fails there is the backend's fault, and nothing can be judged."""
    failed = int(measured.get("probe", {}).get("direct_failed", 0))
    if failed:
        raise CouldNotRun(f"the backend failed {failed} of the probe's own requests, past the sidecar")


def run(asked: Plan, name: str, judged: Callable[[Plan, Measured], list[verdict.Row]] = judge,
        stop_early: Callable[[], bool] = lambda: False) -> int:
    """Runs a plan and writes its report; the exit status."""
    began = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - began:6.1f} s  {text}", flush=True)

    if not asked.command and not asked.running:
        sidecars.require_image(asked.image)
    work = new_folder(asked.reports.resolve(), name)
    work.chmod(0o755)
    measured = Rig(asked, work, say, stop_early).run()
    if not asked.error_share:
        require_backend(measured)
    rows = verdict.of_the_load_asked_for(judged(asked, measured))
    result = result_of(asked, measured, rows, time.monotonic() - began)
    report.write(result, work)
    print("\n" + report.table(result), flush=True)
    if asked.print_report:
        print("\n" + report.printed(work), flush=True)
    print(f"\n{result['verdict']}: {work}/report.html", flush=True)
    return verdict.STATUS[result["verdict"]]


def main(words: Sequence[str] | None = None) -> NoReturn:
    end_with("conformance", lambda: run(plan.read("conformance", __doc__, words), "conformance"))


if __name__ == "__main__":
    main()
