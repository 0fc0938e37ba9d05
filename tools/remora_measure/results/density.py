"""What a herd of sidecars takes: the tables, and whether it rests as cheaply as it must."""
from collections.abc import Mapping
from typing import Any

from ..machine.mappings import KINDS
from ..markdown import aligned_table

IDLE_CPU_PERCENT = 0.1
CPU = {"idle_cpu_percent": "at rest", "connected_cpu_percent": "with an idle connection", "light_cpu_percent": "in light traffic"}
PAID = {"marginal_mb": "marginal cost", "kept_mb": "not released at the end", "private_mb": "private", "working_set_mb": "working set", "rss_mb": "RSS"}

Found = Mapping[str, Any]


def lines(count: int, found: Found) -> list[tuple[str, str]]:
    """The headline figures of one herd, as (name, text)."""
    whole, start = found["mappings"]["all"], found["start"]
    return [
        ("start: first, median, all, s", f"{start['first_s']:.2f}, {start['median_s']:.2f}, {start['all_s']:.2f}"),
        *((f"CPU {when}: mean, most, % of a core", f"{found[key]['mean']:.3f}, {found[key]['most']:.3f}") for key, when in CPU.items()),
        ("RSS: all, each, MB", f"{whole['rss_mb']:,.0f}, {whole['rss_mb'] / count:.1f}"),
        ("PSS: all, each, MB", f"{whole['pss_mb']:,.0f}, {whole['pss_mb'] / count:.1f}"),
        ("anonymous, file-backed RSS: each, MB",
         f"{whole['anon_mb'] / count:.1f}, {(whole['rss_mb'] - whole['anon_mb']) / count:.1f}"),
        ("highest peak RSS of one, MB", f"{found['peak_rss_mb']:.1f}"),
        ("saved by sharing: each, MB", f"{whole['saved_mb'] / count:.1f}"),
        *(("in light traffic, " + name, text) for name, text in paid_lines(count, found["paid"])),
        *(("after its requests and at rest, " + name, text) for name, text in paid_lines(count, found["rested"])),
    ]


def paid_lines(count: int, paid: Found) -> list[tuple[str, str]]:
    """A figure that this user may not take is missing, and no zero."""
    return [(f"{name}: each, MB", "missing" if paid[key] is None else f"{paid[key] / count:.1f}") for key, name in PAID.items() if key in paid]


def markdown(result: Found) -> str:
    count, herds, machine = result["n"], result["herds"], result["machine"]
    head = (f"{count} sidecars of image {result['image']}, {result['rate_each']:g} requests a second each; {machine['cpu']}, "
            f"{machine['cores']} cores, {machine['memory_gib']} GiB, Linux {machine['kernel']}; {result['at'][:10]}")
    columns = [lines(count, found) for found in herds.values()]
    headline = aligned_table(["the herd", *herds], [[row[0][0], *(cell[1] for cell in row)] for row in zip(*columns)])
    parts = [head, headline]
    for name, found in herds.items():
        rows = [[kind, *(f"{found['mappings'][kind][key] / count:.1f}" for key in ("rss_mb", "pss_mb", "anon_mb", "saved_mb"))]
                for kind in (*KINDS, "all")]
        parts.append(aligned_table([f"MB a sidecar, {name}", "RSS", "PSS", "of RSS written to", "saved by sharing"], rows))
    return "\n\n".join([*parts, notes(result), verdict(result)]) + "\n"


def notes(result: Found) -> str:
    """Notes on how memory was measured, and on what ran."""
    version = next((found["cgroup"] for found in result["herds"].values()), None)
    lines = ["marginal cost: missing, as the kernel's caches were kept" if result.get("keep_caches") else
             f"marginal cost: MemAvailable lost for each since before its herd, with the kernel's caches dropped, after {result['requests_each']:,} requests each and "
             f"{result['rest_s']:g} s of rest; what the node does not get back when the herd ends, others took",
             "private and working set: " + (f"of the herd's memory cgroup, version {version}" if version else "by smaps_rollup; no memory cgroup could be made")
             + f"; swap {result['swap']}, counted as private"]
    return "\n".join(f"- {line}" for line in [*lines, *filter(None, result["versions"].values()), *(f"left out: {why}" for why in result["left_out"].values())])


def too_busy(result: Found) -> list[str]:
    """The names of the rests of the first herd that took more CPU than the bar."""
    first: Found = next(iter(result["herds"].values()), {})
    return [CPU[key] for key in ("idle_cpu_percent", "connected_cpu_percent") if first and first[key]["most"] > IDLE_CPU_PERCENT]


def verdict(result: Found) -> str:
    if result["failure"]:
        return f"**Stopped, and not to be trusted: {result['failure']}.**"
    busy = too_busy(result)
    return f"CPU without traffic, at most {IDLE_CPU_PERCENT} % of a core each: {'fail, ' + ' and '.join(busy) if busy else 'pass'}"
