"""What a JVM tells from outside."""
import re
import shutil

from . import children


def live_heap_bytes(pid: int) -> int | None:
    """What is alive in its heap, without arrays of int, with which the JVM fills gaps; None where it cannot be asked."""
    if not shutil.which("jcmd"):
        return None
    told = children.run(["jcmd", str(pid), "GC.class_histogram"], capture_output=True, text=True)
    sizes = {name: int(size) for size, name in re.findall(r"(?m)^ *\d+: +\d+ +(\d+) +(\S+)", told.stdout)}
    return sum(sizes.values()) - sizes.get("[I", 0) if sizes else None
