"""The charts of one run of the conformance test: latency by percentile, and what was sampled over time."""
from collections.abc import Mapping, Sequence
from typing import Any

from .drawing import Description

Samples = Sequence[Mapping[str, Any]]
Points = list[tuple[float, float]]

CURVES = {"inbound.proxy": "proxy, its own", "wire": "proxy, on the wire", "added": "added", "probe.direct": "direct",
          "host.hiccup": "host hiccups"}
# Over RSS most of the time, which shows between the dashes.
PEAK = "peak RSS"
MEMORY = {"working_set_mb": "working set", "private_mb": "private", "rss_mb": "RSS", "anon_mb": "anonymous", "file_mb": "file-backed", "peak_mb": PEAK}
# The longest first: from so many seconds on, seconds in the unit, its name.
TIMES = ((3 * 3600, 3600, "hours"), (900, 60, "minutes"), (float("-inf"), 1, "seconds"))
MOST_POINTS = 300
STEADY = "of the steady window; the warm-up is before 0"


def percentile_curves(latency: Mapping[str, Any]) -> Description | None:
    """Latency in ms over the percentile on HdrHistogram's scale, of the tags that are there; None where none is."""
    found = []
    for tag, name in CURVES.items():
        # The last percentile is infinitely far out on this scale; the table has the worst.
        points = [(1 / (1 - percentile / 100), value / 1e3) for percentile, value in curve(latency, tag) if percentile < 100 and value > 0]
        if points:
            found.append(line(name, points))
    if not found:
        return None
    return {"title": "Latency by percentile", "height": 460, "x": {"title": "percentile", "kind": "percentile"},
            "y": {"title": "ms", "kind": "log"}, "series": found}


def curve(latency: Mapping[str, Any], tag: str) -> list[list[float]]:
    """The points of a tag that are whole: [percentile, us]."""
    return [point for point in (latency.get(tag) or {}).get("curve") or [] if point and len(point) == 2 and None not in point]


def over_time(samples: Samples) -> dict[str, Description]:
    """{name: description} of what the samples have: memory, CPU, code cache, compilation, collections, loop lag, heap, threads."""
    samples = [one for one in samples if one and one.get("t_s") is not None]
    told = {
        "memory": timed("Memory", "MB", keys(samples, MEMORY)),
        "cpu": timed("CPU", "% of a core", {**keys(samples, {"cpu_share": "CPU"}, 100),
                                            "waiting for a core": rate(samples, "waited_s", 100),
                                            "others on its cores": rate(others(samples), "others_s", 100)}),
        "code-cache": timed("Code cache", "MB", code_cache(samples)),
        "compilation": timed("Compilation", "% of a core", {"compiling": rate(samples, "compile_s", 100)}),
        "collections": timed("Pauses for collections", "ms a second", {"pauses": rate(samples, "gc_pause_s", 1e3)}),
        "loop-lag": timed("Event-loop lag", "ms, mean", {"lag": mean(samples, "loop_lag_s", "loop_lag_count", 1e3)}),
        "heap": timed("Heap and direct memory", "MB", keys(samples, {"heap_used_mb": "heap in use", "direct_mb": "direct memory"})),
        "threads": timed("Threads and descriptors", "", keys(samples, {"threads": "threads", "descriptors": "descriptors"})),
    }
    return {name: description for name, description in told.items() if description}


def keys(samples: Samples, names: Mapping[str, str], factor: float = 1) -> dict[str, Points]:
    """{name: points} of figures that are sampled as they are."""
    return {name: [(one["t_s"], one[key] * factor) for one in samples if one.get(key) is not None] for key, name in names.items()}


def rate(samples: Samples, key: str, factor: float) -> Points:
    """Points of what a counter rose by each second."""
    told = [(one["t_s"], one[key]) for one in samples if one.get(key) is not None]
    return [(at, (value - before) * factor / (at - since)) for (since, before), (at, value) in zip(told, told[1:]) if at > since]


def others(samples: Samples) -> Samples:
    """Samples of the CPU time that others took of the sidecar's cores, where these are its own."""
    return [{"t_s": one["t_s"], "others_s": one["cores_busy_s"] - one["cpu_s"]} for one in samples
            if one.get("cores_busy_s") is not None and one.get("cpu_s") is not None]


def mean(samples: Samples, total: str, count: str, factor: float) -> Points:
    """Points of the mean of what was counted since the sample before; none where nothing was."""
    told = [(one["t_s"], one[total], one[count]) for one in samples if one.get(total) is not None and one.get(count) is not None]
    return [(at, (value - before) * factor / (number - counted))
            for (_, before, counted), (at, value, number) in zip(told, told[1:]) if number > counted]


def code_cache(samples: Samples) -> dict[str, Points]:
    found: dict[str, Points] = {}
    for one in samples:
        for segment, figures in (one.get("code_cache") or {}).items():
            for key, what in (("used_mb", "used"), ("reserved_mb", "reserved")):
                if (figures or {}).get(key) is not None:
                    found.setdefault(f"{segment}, {what}", []).append((one["t_s"], figures[key]))
    return found


def timed(title: str, unit: str, points_by_name: dict[str, Points], begin: str = STEADY) -> Description | None:
    """A chart over time, in the unit that suits its length; None where nothing was measured. begin says what time 0 is."""
    points_by_name = {name: points for name, points in points_by_name.items() if points}
    if not points_by_name:
        return None
    longest = max(points[-1][0] for points in points_by_name.values())
    scale, unit_of_time = next((scale, name) for least, scale, name in TIMES if longest >= least)
    return {"title": title, "height": 300, "x": {"title": f"{unit_of_time} {begin}"},
            "y": {"title": unit, "least": 0},
            "series": [line(name, [(at / scale, value) for at, value in points]) for name, points in points_by_name.items()]}


def line(name: str, points: Points) -> dict[str, Any]:
    points = thinned(points)
    return {"name": name, "dashed": name == PEAK, "x": [round(x, 6) for x, _ in points], "y": [float(f"{y:.6g}") for _, y in points]}


def thinned(points: Points, most: int = MOST_POINTS) -> Points:
    """At most so many points and the last: the least and the greatest of each stretch, so that no peak is lost."""
    if len(points) <= most:
        return points
    length = -(-len(points) // (most // 2))
    kept: Points = []
    for begin in range(0, len(points), length):
        stretch = points[begin:begin + length]
        ends = {min(stretch, key=lambda point: point[1]), max(stretch, key=lambda point: point[1])}
        kept += sorted(ends)
    return kept if kept[-1] == points[-1] else kept + [points[-1]]
