"""What a sidecar takes, sample by sample, from /proc and from its admin listener."""
import contextlib
import json
import re
import ssl
import threading
import time
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import DidNotEnd
from ..machine import cgroups, kernel
from ..systems import admin_pages
from ..systems.kubelet import PERIOD_S, Kubelet

# Bound for the last sample of a thread that is to end.
JOIN_S = 30.0
Sample = dict[str, Any]

SEGMENT = re.compile(r'segment="([^"]*)"')


def scraped(text: str) -> Sample:
    """The figures of a scrape; None for what it does not have."""
    used, reserved = (admin_pages.samples(text, f"remora_jvm_code_cache_{kind}_bytes") for kind in ("used", "reserved"))
    segments = {segment_name(labels): {"used_mb": used[labels] / 1e6, "reserved_mb": reserved[labels] / 1e6}
                for labels in used if labels in reserved}
    figures = {
        "compile_s": admin_pages.total(text, "remora_jvm_compile_seconds_total"),
        "gc_count": admin_pages.total(text, "remora_jvm_gc_collections_total"),
        "gc_pause_s": admin_pages.total(text, "remora_jvm_gc_pause_seconds_total"),
        "loop_lag_s": admin_pages.total(text, "remora_event_loop_lag_seconds_sum"),
        "loop_lag_count": admin_pages.total(text, "remora_event_loop_lag_seconds_count"),
        "direct_mb": in_mb(admin_pages.total(text, "remora_jvm_direct_memory_used_bytes")),
        "heap_used_mb": in_mb(admin_pages.total(text, "remora_jvm_heap_used_bytes")),
        "exchanges": admin_pages.total(text, "remora_exchanges_finished_total"),
        "connections": admin_pages.total(text, "remora_frontend_connections_active"),
    }
    return {"code_cache": segments, **figures}


def segment_name(labels: str) -> str:
    found = SEGMENT.search(labels)
    return found.group(1) if found else labels


def in_mb(bytes_or_none: float | None) -> float | None:
    return None if bytes_or_none is None else bytes_or_none / 1e6


class Charged(NamedTuple):
    """The cgroup that a sidecar is charged to, None where none is to be seen, whether its files were out of the kernel's cache when it
    started, the folder of all cgroups as it sees it, and the kubelet
    where that is asked as well."""

    group: cgroups.Group | None = None
    cold: bool = False
    root: Path = kernel.CGROUPS
    kubelet: Kubelet | None = None

    def describe(self) -> dict[str, Any]:
        """The conditions of the memory figures."""
        version, off = (self.group.version, self.group.is_swap_off()) if self.group else (None, cgroups.machine_has_no_swap())
        return {"cgroup": version, "swap": "off" if off else "on", "caches": "dropped" if self.cold else "as they were"}

    def figures(self, told: Mapping[str, float] | None) -> Sample:
        """In MB. Without a cgroup, private memory is that of the process by its rollup."""
        if self.group:
            return {"private_mb": self.group.private() / 1e6, **self.group.parts()}
        return {"private_mb": None if told is None else kernel.private(told)}


UNKNOWN = Charged()


def process(pid: int, charged: Charged = UNKNOWN) -> Sample:
    """The kernel's figures of a process and its cgroup. Raises OSError when it has ended."""
    told = kernel.rollup(pid)
    return {"rss_mb": kernel.status(pid, "VmRSS"), "anon_mb": kernel.status(pid, "RssAnon"), "file_mb": kernel.status(pid, "RssFile"),
            "peak_mb": kernel.status(pid, "VmHWM"), "pss_mb": None if told is None else told.get("Pss", 0.0), **charged.figures(told),
            "cpu_s": kernel.cpu_seconds(pid), "throttled_s": kernel.throttled_seconds(pid, charged.root),
            "threads": kernel.threads(pid), "descriptors": kernel.descriptors(pid)}


class Backend(NamedTuple):
    pid: int
    port: int
    tls: ssl.SSLContext | None = None


class Sampler(threading.Thread):
    """Takes a sample at each period, and writes it to a file at once, so that an interrupted run keeps what it has.

    samples: dicts whose "at" is the monotonic clock's second. Figures of a page that did not answer are missing. With the backend, its
    CPU and the requests that it was sent are sampled too: they tell how fast the host is. With the cores that are the sidecar's own,
    so is the CPU time of all that ran on them."""

    def __init__(self, pid: int, admin_port: int, file: Path, period_seconds: float = 1.0, backend: Backend | None = None,
                 own_cores: Collection[int] = (), charged: Charged = UNKNOWN) -> None:
        super().__init__(daemon=True)
        self.charged = charged
        self.pid, self.admin_port, self.file, self.period = pid, admin_port, file, period_seconds
        self.backend, self.own_cores, self.waits = backend, own_cores, kernel.Waits(pid)
        self.samples: list[Sample] = []
        self.ended, self.unanswered, self.kubelet_due = threading.Event(), 0, 0.0
        self.start()

    def take(self) -> Sample:
        at = time.monotonic()
        sample = {"at": at, **process(self.pid, self.charged), "waited_s": self.waits.seconds()}
        if self.own_cores:
            sample["cores_busy_s"] = kernel.busy_seconds(self.own_cores)
        if self.backend:
            with contextlib.suppress(OSError):
                sample["backend_cpu_s"] = kernel.cpu_seconds(self.backend.pid)
                sample["backend_served"] = admin_pages.served(self.backend.port, self.backend.tls)
        before = self.samples[-1] if self.samples else {}
        for whose in ("", "backend_"):
            if f"{whose}cpu_s" in sample and f"{whose}cpu_s" in before:
                sample[f"{whose}cpu_share"] = (sample[f"{whose}cpu_s"] - before[f"{whose}cpu_s"]) / (at - before["at"])
        if self.charged.kubelet and at >= self.kubelet_due:
            self.kubelet_due = at + PERIOD_S
            sample["kubelet_mb"] = self.charged.kubelet.working_set_mb()
        try:
            sample.update(scraped(admin_pages.fetch(self.admin_port, "/metrics", timeout=2)))
        except OSError:
            self.unanswered += 1
        return sample

    def run(self) -> None:
        due = time.monotonic()
        with open(self.file, "w") as file:
            while not self.ended.is_set():
                try:
                    self.samples.append(self.take())
                except OSError:
                    return  # the sidecar has ended; its waiting thread reports that
                file.write(json.dumps(self.samples[-1]) + "\n")
                file.flush()
                due += self.period
                self.ended.wait(max(0.0, due - time.monotonic()))

    def end(self) -> list[Sample]:
        """All samples. Raises DidNotEnd where the last one does not come to its end."""
        self.ended.set()
        self.join(JOIN_S)
        if self.is_alive():
            raise DidNotEnd("the last sample of the sidecar", JOIN_S)
        return self.samples


def since(samples: Iterable[Sample], began: float, ended: float) -> list[Sample]:
    """Samples of a window of the monotonic clock, with t_s, seconds from its beginning, instead of "at"; earlier ones are negative."""
    return [{"t_s": round(one["at"] - began, 3), **{key: value for key, value in one.items() if key != "at"}}
            for one in samples if one["at"] <= ended]
