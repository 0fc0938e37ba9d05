"""Sources of endpoints that change each second, a file and a DNS zone, and what a sidecar in front of them does meanwhile."""
import contextlib
import json
import os
import re
import shutil
import subprocess
import time

from remora_measure.load import java_tools, outcomes
from remora_measure.machine import children, kernel, processes
from remora_measure.systems import admin_pages, sidecars

# Three of them at a time are in the lists. The last one never is, though it listens as well.
ADDRESSES = [f"127.0.0.{number}" for number in range(11, 20)]
LISTED, AT_ONCE = ADDRESSES[:-1], 3
# A list is in use within two seconds, and endpoints that are gone lose their idle connections a second later. A host with other work is later, but not each time.
SOON_S, MOST_S = 4, 60
RATE_EACH = 500
CONFIG = """
admin: {{ address: "127.0.0.1:{admin}" }}
listeners:
  - {{ name: from-file, address: "127.0.0.1:{file_port}", cluster: from-file }}
  - {{ name: from-dns, address: "127.0.0.1:{dns_port}", cluster: from-dns }}
clusters:
  from-file:
    resolver: {{ file: {work}/endpoints.yaml }}
    timeouts: {{ idle: 1s }}
  from-dns:
    resolver: {{ dns: {{ name: app.test., port: {backend}, family: ipv4, servers: ["127.0.0.1:{knot}"], min-refresh: 1s, max-refresh: 1s }} }}
    timeouts: {{ idle: 1s }}
"""
KNOT = """
server:
  rundir: {work}
  listen: 127.0.0.1@{port}
  udp-workers: 1
  tcp-workers: 1
  background-workers: 1
control:
  listen: {work}/knot.sock
database:
  storage: {work}/db
log:
  - target: stdout
    any: info
template:
  - id: default
    storage: {work}
    zonefile-sync: -1
    zonefile-load: whole
zone:
  - domain: test
    file: test.zone
"""


def turn(number):
    """The addresses of the nth list: one goes and one comes each time."""
    return [LISTED[(number + place) % len(LISTED)] for place in range(AT_ONCE)]


class File:
    """A list that is replaced at once."""

    name = "from-file"

    def __init__(self, work, port):
        self.work, self.port = work, port

    def publish(self, addresses):
        new = self.work / "endpoints.new"
        new.write_text("".join(f"- {address}:{self.port}\n" for address in addresses))
        os.replace(new, self.work / "endpoints.yaml")


class Zone:
    """Knot DNS with one name; it runs from publish() on until close()."""

    name = "from-dns"

    def __init__(self, work, port, log):
        self.work, self.port, self.log, self.serial, self.process = work, port, log, 0, None
        (work / "knot.conf").write_text(KNOT.format(work=work, port=port))

    def publish(self, addresses):
        self.serial += 1
        records = "".join(f"app 1 IN A {address}\n" for address in addresses)
        (self.work / "test.zone").write_text(f"$ORIGIN test.\n@ 1 IN SOA ns.test. admin.test. {self.serial} 60 60 600 1\n@ 1 IN NS ns\n"
                                             f"ns 1 IN A 127.0.0.1\n{records}")
        if self.process:
            subprocess.run(["knotc", "-c", self.work / "knot.conf", "-b", "zone-reload", "test"], check=True, capture_output=True)
        else:
            self.process = subprocess.Popen(["knotd", "-c", self.work / "knot.conf"], stdout=self.log, stderr=self.log, start_new_session=True)
            processes.wait_for(self.port, process=self.process)

    def close(self):
        if self.process:
            children.stop(self.process)


def missing():
    return [program for program in ("knotd", "knotc") if not shutil.which(program)]


def descriptors_at_rest(pid, seconds=1):
    """The least within that time: the connection of the question before is closed when the sidecar comes to it. What leaks stays."""
    least, end = kernel.descriptors(pid), time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.02)
        least = min(least, kernel.descriptors(pid))
    return least


class Held:
    """What a sidecar has when nobody asks it: descriptors, endpoints by cluster, and those that metrics name."""

    def __init__(self, pid, admin):
        text = admin_pages.fetch(admin, "/metrics")
        self.descriptors = descriptors_at_rest(pid)
        self.series = sorted(set(re.findall(r'cluster="([^"]*)",endpoint="([^"]*)"', text)))
        self.open = admin_pages.total(text, "remora_backend_connections_idle") + admin_pages.total(text, "remora_backend_connections_active")
        told = json.loads(admin_pages.fetch(admin, "/clusters?format=json"))
        self.clusters = json.dumps(told)
        self.known = sorted(re.findall(r'127\.0\.0\.\d+:\d+', self.clusters))


class Flapping:
    """A run that is over: requests by source, the times at which each list was published and in use, and what was held before and after."""

    def __init__(self, image, work, seconds):
        self.requests, self.published, self.in_use = {}, {"from-file": [], "from-dns": []}, {"from-file": [], "from-dns": []}
        with contextlib.ExitStack() as started:
            log = started.enter_context(open(work / "tools.log", "wb"))
            java_home = processes.default_java_home()
            file_port, dns_port, admin, backend, knot = processes.free_ports(5)
            started.enter_context(java_tools.Backend(java_home, log, backend, java_tools.Answers(64, identify=True), place=java_tools.Place(ADDRESSES)))
            zone = Zone(work, knot, log)
            started.callback(zone.close)
            self.sources = [File(work, backend), zone]
            self.publish(0)
            config = work / "sidecar.yaml"
            config.write_text(CONFIG.format(work=work, file_port=file_port, dns_port=dns_port, admin=admin, backend=backend, knot=knot))
            sidecar = sidecars.start(image, config, 1000, java_home, work / "sidecar.log")
            started.callback(sidecar.stop)
            ports = {"from-file": file_port, "from-dns": dns_port}
            for port in ports.values():
                sidecars.wait_until_it_answers(sidecar, port)
            self.await_use(admin, 0)
            loads = {name: started.enter_context(java_tools.OpenLoad(java_home, log)) for name in ports}
            self.load(loads, ports, work, lambda: time.sleep(2))
            self.before = self.held(sidecar.pid, admin)
            self.load(loads, ports, work, lambda: self.flap(admin, seconds))
            self.after = self.held(sidecar.pid, admin)
            self.alive = sidecar.alive()

    def load(self, loads, ports, work, meanwhile):
        for name, load in loads.items():
            load.begin(ports[name], RATE_EACH, 8, 64, work / f"{name}.outcomes")
        meanwhile()
        for name, load in loads.items():
            load.end()
            self.requests[name] = outcomes.read(work / f"{name}.outcomes")

    def flap(self, admin, seconds):
        """A list each second, or as soon as the one before is in use."""
        for number in [*range(1, seconds + 1), 0]:
            again = time.monotonic() + 1
            self.publish(number)
            self.await_use(admin, number)
            time.sleep(max(0.0, again - time.monotonic()))

    def publish(self, number):
        for source in self.sources:
            source.publish(turn(number))
            self.published[source.name].append((time.time(), set(turn(number))))

    def await_use(self, admin, number):
        """Until every cluster has exactly these endpoints."""
        left, until = {source.name for source in self.sources}, time.monotonic() + MOST_S
        while left:
            told = json.loads(admin_pages.fetch(admin, "/clusters?format=json"))["clusters"]
            for name in [one["name"] for one in told if {end["address"].partition(":")[0] for end in one["endpoints"]} == set(turn(number))]:
                if name in left:
                    self.in_use[name].append(time.time())
                    left.remove(name)
            if time.monotonic() > until:
                raise TimeoutError(f"{', '.join(left)} did not take {turn(number)} within {MOST_S} s: {told}")
            time.sleep(0.02)

    def held(self, pid, admin):
        """Once connections at rest have been closed."""
        until = time.monotonic() + 15
        while Held(pid, admin).open and time.monotonic() < until:
            time.sleep(0.2)
        time.sleep(0.3)
        return Held(pid, admin)

    def delays(self, name):
        """Seconds from each change until it was in use."""
        return [used - at for (at, _), used in list(zip(self.published[name], self.in_use[name]))[1:]]

    def allowed(self, name, request):
        """Addresses of the lists that were published before the answer, and not yet replaced by one in use when the request was sent."""
        sent, answered = request.due + request.late, request.due + request.latency
        replaced = [*self.in_use[name][1:], float("inf")]
        return set().union(*(addresses for (at, addresses), until in zip(self.published[name], replaced) if at <= answered and until >= sent))

    def wrong(self, name):
        """Requests to addresses that were not, or no longer, in the list."""
        return [one for one in self.requests[name] if one.server != "-" and one.server.partition(":")[0] not in self.allowed(name, one)]

    def failed(self, name):
        return [one for one in self.requests[name] if not one.is_good]

    def used(self, name):
        return {one.server.partition(":")[0] for one in self.requests[name] if one.server != "-"}
