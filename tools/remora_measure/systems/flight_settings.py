"""Settings of the flight recorder: a group of events of the sidecar's own settings, or allocations alone."""
import re

from ..repository import REPOSITORY

FILE = REPOSITORY / "proxy/core/src/main/resources/io/remora/recorder/remora.jfc"
# In the order of the file, in which a comment begins each of them.
GROUPS = ("cpu", "allocation", "pauses", "memory", "compiler", "errors", "host", "sidecar")
# Samples of allocations per second: the sidecar's own setting, and those of the JDK's settings default and profile.
RATES = (50, 150, 300)
SAMPLE, TLAB = "jdk.ObjectAllocationSample", "jdk.ObjectAllocationInNewTLAB"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<configuration version="2.0" label="{label}">\n'


def groups() -> dict[str, str]:
    """The events of each group, as text."""
    parts = re.split(r"\n  <!-- [^>]*-->\n", FILE.read_text())
    if len(parts) != len(GROUPS) + 1:
        raise ValueError(f"{FILE.name} has {len(parts) - 1} groups, not {len(GROUPS)}")
    return {name: part.replace("</configuration>", "") for name, part in zip(GROUPS, parts[1:])}


def settings(label: str, events: str) -> str:
    return f"{HEAD.format(label=label)}{events}\n</configuration>\n"


def event(name: str, **values: str) -> str:
    return f'  <event name="{name}">' + "".join(f'<setting name="{key}">{value}</setting>' for key, value in values.items()) + "</event>"


def of_group(group: str) -> str:
    return settings(group, groups()[group])


def of_allocations(rate: int) -> str:
    return settings(f"allocations-{rate}", event(SAMPLE, enabled="true", stackTrace="true", throttle=f"{rate}/s"))


def of_tlabs() -> str:
    return settings("allocations-tlab", event(TLAB, enabled="true", stackTrace="true"))
