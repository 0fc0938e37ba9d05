"""What a JVM logs of its compilers with -Xlog:jit+compilation=debug:stdout:timemillis,level."""
import re
from collections import Counter

COMPILED = re.compile(r"(?m)^\[(\d+)ms\]\[debug\]\s+\d+ .*::.*\(\d+ bytes\)(?!\s*made)")
FULL = re.compile(r"CodeCache is full|CodeHeap '[^']*' is full")


def compiled_by_second(text: str, began_ms: float, seconds: float) -> dict[int, int] | None:
    """Methods compiled in each second of a window that began at a time of the epoch; None where the JVM logged none at all."""
    times = [int(at) for at in COMPILED.findall(text)]
    return dict(Counter(int((at - began_ms) // 1000) for at in times if 0 <= at - began_ms < seconds * 1000)) if times else None


def times_full(text: str) -> int:
    return len(FULL.findall(text))
