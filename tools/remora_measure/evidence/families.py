"""The families, in the order in which they are measured."""
import dataclasses
from collections.abc import Collection, Iterable
from typing import Any

from ..profiles.flag_files import options
from .variants import SHORT, Family, Variant, Windows, base, differing, flag_family

ROUNDS = 5
RATE = 1000
OTHER_VMS = {"debian": "Debian's VM"}


def choice(name: str, whole: Variant, added: Iterable[str] = (), removed: Collection[str] = (), image: str | None = None,
           **more: Any) -> Variant:
    """Another choice instead of a profile's."""
    image = image or whole.image
    kept = tuple(option for option in options(image, whole.profile) if option not in removed)
    return Variant(name, image, whole.profile, kept + tuple(added), whole.rate, whole.connections, against=whole.name, **more)


def default_archive(image: str) -> str:
    return f"-XX:SharedArchiveFile={{work}}/default-{image}.jsa"


def on_i386() -> list[Variant]:
    whole = base("i386-client", "rps-1000", RATE)
    tried: dict[str, Any] = dict(topic="tried")
    jvm: dict[str, Any] = dict(topic="jvm")
    return [
        whole,
        choice("compact3, 32 bit", whole, image="compact3-386", what="the modules of compact3", **tried),
        choice("small stacks", whole, ["-Xss192k", "-XX:CompilerThreadStackSize=256", "-XX:VMThreadStackSize=256"],
               what="-Xss192k, 256k for the JVM's own threads", **tried),
        choice("interpreter", whole, ["-Xint"], what="-Xint", **tried),
        choice("no verifier", whole, ["-XX:-BytecodeVerificationRemote"], what="-XX:-BytecodeVerificationRemote", **tried),
        choice("no CDS, 32 bit", whole, ["-Xshare:off"], what="-Xshare:off", **jvm),
        choice("default archive, 32 bit", whole, [default_archive("i386-client")], what="an archive of the JDK's classes only", **jvm),
        choice("JDK 21, 32 bit", whole, image="i386-client-jdk21", what="JDK 21", **jvm),
    ]


def on_amd64() -> list[Variant]:
    whole = base("amd64-c1", "rps-1000", RATE)
    tried: dict[str, Any] = dict(topic="tried")
    jvm: dict[str, Any] = dict(topic="jvm")
    # ours has the serial collector only
    debians = base("amd64-c1-debian", "rps-1000", RATE)
    serial = ["-XX:+UseSerialGC"]
    # its image asks for the serial one
    parallel = ["-XX:-UseSerialGC", "-XX:+UseParallelGC"]
    # what the launchers add for it
    on_25 = ["--sun-misc-unsafe-memory-access=allow"]
    return [
        whole,
        choice("compact3, 64 bit", whole, image="compact3-amd64", what="the modules of compact3", **tried),
        debians,
        choice("parallel collector", debians, parallel, serial,
               what="-XX:+UseParallelGC, a thread per core, with Debian's VM", **tried),
        choice("fewer collector threads", debians, [*parallel, "-XX:ParallelGCThreads=1"], serial,
               what="-XX:+UseParallelGC -XX:ParallelGCThreads=1, with Debian's VM", **tried),
        choice("fewer compiler threads", whole, ["-XX:CICompilerCount=1"], what="-XX:CICompilerCount=1", **tried),
        Variant("32 bit", "i386-client", "rps-1000", options("i386-client", "rps-1000"), RATE, against=whole.name,
            what="the image i386-client", **jvm),
        choice("no CDS, 64 bit", whole, ["-Xshare:off"], what="-Xshare:off", **jvm),
        choice("default archive, 64 bit", whole, [default_archive("amd64-c1")], what="an archive of the JDK's classes only", **jvm),
        choice("JDK 21, 64 bit", whole, image="amd64-c1-jdk21", what="JDK 21", **jvm),
        choice("JDK 25, 64 bit", whole, on_25, image="amd64-c1-jdk25", what="JDK 25", **jvm),
        choice("compact headers, 64 bit", whole, [*on_25, "-XX:+UseCompactObjectHeaders"], image="amd64-c1-jdk25",
               what="JDK 25 with -XX:+UseCompactObjectHeaders", **jvm),
    ]


def without_c1_only(family: Family) -> Family:
    """The image that holds the server VM to C1, next to the one that does not."""
    whole = family.variants[0]
    c2 = choice("without TieredStopAtLevel", whole, image="amd64-tiered", rows=("TieredStopAtLevel",),
                what="-XX:TieredStopAtLevel=1: the image amd64-tiered")
    return dataclasses.replace(family, variants=(*family.variants, c2))


def with_debians_collectors(family: Family) -> Family:
    """Debian's VM with and without what is built into its images: ours has the serial collector only."""
    whole = base("amd64-c1-debian", "rps-1000", RATE)
    ergonomic = choice("without UseSerialGC", whole, ["-XX:-UseSerialGC"], rows=("UseSerialGC",), what="-XX:+UseSerialGC, with Debian's VM")
    return dataclasses.replace(family, variants=(*family.variants, whole, ergonomic))


def bars() -> Family:
    """What the bars of the page are judged by."""
    minute = Windows(8, 60, 15)
    brief = Windows(5, 1, 15)
    return Family("bars", (
        base("i386-client", "rps-1000", 1000, windows=minute),
        base("i386-client", "rps-100", 100, windows=Windows(8, 60, 30)),
        base("amd64-c1", "rps-1000", 1000, windows=minute),
        base("compact3-amd64", "rps-1000", 1000, windows=minute),
        base("amd64-tiered", "rps-1000", 1000, windows=minute),
        Variant("envoy", windows=Windows(5, 15, 0)),
        base("amd64-tiered", "rps-40000", 0, connections=64, windows=Windows(8, 60, 6)),
        Variant("envoy, closed loop", rate=0, connections=64, windows=Windows(5, 15, 0)),
        base("amd64-c1", "rps-10000", 10000, windows=brief),
        Variant("amd64-tiered rps-40000 at 20000", "amd64-tiered", "rps-40000", options("amd64-tiered", "rps-40000"), 20000,
            windows=brief),
    ), 2, minute)


def vms() -> Family:
    """The images with other VMs than theirs, as the same profile starts them; CPU shows best in a closed loop."""
    def on(image: str, rate: int, loop: str = "") -> Iterable[Variant]:
        whole = base(image, "rps-1000", rate)
        if loop:
            # not the profile as it is, whose peak this would count for
            name = whole.name + loop
            whole = dataclasses.replace(whole, name=name, against=name)
        yield whole
        for vm, what in OTHER_VMS.items():
            other = f"{image}-{vm}"
            yield dataclasses.replace(whole, name=other + loop, image=other, against=whole.name, what=what, topic="vm")

    return Family("vms", (*on("i386-client", RATE), *on("amd64-c1", RATE), *on("i386-client", 0, ", closed loop")), ROUNDS, Windows(5, 6, 5))


def peaks() -> Family:
    """What the other families do not run: the rest of what images offer."""
    return Family("peaks", (
        base("i386-client", "rps-10000", 10000),
        base("amd64-c1", "rps-100", 100),
        base("amd64-tiered", "rps-100", 100),
        base("amd64-tiered", "rps-10000", 10000),
        base("compact3-386", "rps-1000", 1000),
        *(base(image, f"rps-{rate}", rate) for image in ("compact3-amd64", "compact3-386") for rate in (100, 10000)),
        *(base("host", f"rps-{rate}", rate) for rate in (100, 1000, 10000)),
    ), 1, Windows(3, 15, 3.5))


def finagle() -> Family:
    """Finagle's engine on the images that offer it, and the default engine next to it."""
    return Family("finagle", (
        base("compact3-amd64", "rps-1000", 1000),
        *(base(image, f"finagle-rps-{rate}", rate)
          for image in ("compact3-amd64-finagle", "compact3-386-finagle", "host-finagle") for rate in (1000, 10000)),
    ), 1, Windows(6, 15, 5))


def of_private_memory(image: str) -> Family:
    """The flags that are there for private memory; measured apart from the others, whose runs have other options."""
    flags = {"-Xmn512k", "-XX:+UnlockExperimentalVMOptions", "-XX:SymbolTableSize=1024", "-XX:StackShadowPages=10"}
    whole = flag_family(f"private-{image}", image, "rps-1000", RATE, ROUNDS, only=flags)
    # flags that were dropped have their verdict elsewhere
    return Family(whole.name, tuple(one for one in whole.variants if not one.rows or flags.issuperset(one.what.split())), whole.rounds, whole.windows)


def all_families() -> list[Family]:
    at_100 = differing("i386-client", "rps-100", "i386-client")
    at_10000 = differing("amd64-c1", "rps-10000", "amd64-c1")
    at_40000 = differing("amd64-tiered", "rps-40000", "amd64-c1")
    return [
        flag_family("flags-i386-client", "i386-client", "rps-1000", RATE, ROUNDS),
        with_debians_collectors(without_c1_only(flag_family("flags-amd64-c1", "amd64-c1", "rps-1000", RATE, ROUNDS))),
        of_private_memory("i386-client"),
        of_private_memory("amd64-c1"),
        flag_family("rps-100", "i386-client", "rps-100", 100, ROUNDS, only=at_100, windows=Windows(12, 8, 10)),
        without_c1_only(flag_family("rps-10000", "amd64-c1", "rps-10000", 10000, ROUNDS, only=at_10000, windows=Windows(5, 3, 3))),
        flag_family("rps-40000", "amd64-tiered", "rps-40000", 0, ROUNDS, connections=64, only=at_40000),
        Family("choices", tuple(on_i386() + on_amd64()), ROUNDS, SHORT),
        vms(),
        bars(),
        peaks(),
        finagle(),
    ]
