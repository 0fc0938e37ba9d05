"""The rows about the host: by how much it had slowed, control by control."""
from .controls import Controls, Figures, Slowing, in_ms
from .verdict import MISSING, Row, at_most


def host_rows(host: Controls, steal_share: float | None) -> list[Row]:
    return [
        slowing_row("host: fixed piece of work", host.work, "CPU time on the sidecar's cores", stretched(host)),
        slowing_row("host: the backend's work", host.backend, "CPU time of a request"),
        at_most("host: sidecar kept from its cores", percent(host.kept), "% of the time", None, taken(host)),
        *limit_rows(host.throttled),
        latency_row("host: wait for the sidecar's cores, p99", host.sidecar_waits),
        latency_row("host: wait for the generator's cores, p99", host.generator_waits),
        latency_row("host: requests past the sidecar, p99", host.direct),
        *(at_most(f"host hiccups, {name}", in_ms(host.hiccups, key) if host.hiccups else None, "ms", None)
          for name, key in (("p99", "p99_us"), ("p999", "p999_us"), ("worst", "max_us"))),
        at_most("CPU stolen from this machine", percent(steal_share), "%", None),
    ]


def slowing_row(name: str, slowing: Slowing | None, what: str, more: str = "") -> Row:
    if slowing is None:
        return Row(name, None, "times", result=MISSING, note="too little of it")
    return Row(name, slowing.factor, "times", note=f"{what}: {slowing.us:.0f} us, {slowing.before_us:.0f} before{more}")


def stretched(host: Controls) -> str:
    return "" if host.stretch is None else f"; it took {host.stretch:.2f} times as long"


def taken(host: Controls) -> str:
    return "" if host.others is None else f"others took {100 * host.others:.0f} % of these cores"


def limit_rows(throttled: float | None) -> list[Row]:
    """A row only where a limit was felt: it is the sidecar's own, with any origin, and explains nothing away."""
    return [Row("sidecar stopped by its CPU limit", 100 * throttled, "% of the time", note="a limit excuses no miss")] if throttled else []


def latency_row(name: str, figures: Figures | None) -> Row:
    note = f"p999 {in_ms(figures, 'p999_us'):.3f}, worst {in_ms(figures, 'max_us'):.3f}" if figures else ""
    return at_most(name, in_ms(figures, "p99_us") if figures else None, "ms", None, note)


def percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
