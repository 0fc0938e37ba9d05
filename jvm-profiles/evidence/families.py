"""The families, in the order in which they are measured."""
import dataclasses

from arms import SHORT, Arm, Family, Windows, base, differing, flag_family
from profiles import options

ROUNDS = 5
RATE = 1000


def variant(name, whole, added=(), removed=(), image=None, **more):
    """Another choice in the place of what a profile does."""
    image = image or whole.image
    kept = tuple(option for option in options(image, whole.profile) if option not in removed)
    return Arm(name, image, whole.profile, kept + tuple(added), whole.rate, whole.connections, against=whole.name, **more)


def default_archive(image):
    return f"-XX:SharedArchiveFile={{work}}/default-{image}.jsa"


def on_i386():
    whole = base("i386-client", "rps-1000", RATE)
    tried = dict(topic="tried")
    jvm = dict(topic="jvm")
    return [
        whole,
        variant("compact3, 32 bit", whole, image="compact3-386", what="the modules of compact3", **tried),
        variant("small stacks", whole, ["-Xss192k", "-XX:CompilerThreadStackSize=256", "-XX:VMThreadStackSize=256"],
                what="-Xss192k, 256k for the JVM's own threads", **tried),
        variant("interpreter", whole, ["-Xint"], what="-Xint", **tried),
        variant("no verifier", whole, ["-XX:-BytecodeVerificationRemote"], what="-XX:-BytecodeVerificationRemote", **tried),
        variant("no CDS, 32 bit", whole, ["-Xshare:off"], what="-Xshare:off", **jvm),
        variant("default archive, 32 bit", whole, [default_archive("i386-client")], what="an archive of the JDK's classes only", **jvm),
        variant("JDK 21, 32 bit", whole, image="i386-client-jdk21", what="JDK 21", **jvm),
    ]


def on_amd64():
    whole = base("amd64-c1", "rps-1000", RATE)
    tried = dict(topic="tried")
    jvm = dict(topic="jvm")
    serial = ["-XX:+UseSerialGC"]
    return [
        whole,
        variant("compact3, 64 bit", whole, image="compact3-amd64", what="the modules of compact3", **tried),
        variant("parallel collector", whole, ["-XX:+UseParallelGC"], serial, what="-XX:+UseParallelGC, a thread per core", **tried),
        variant("fewer collector threads", whole, ["-XX:+UseParallelGC", "-XX:ParallelGCThreads=1"], serial,
                what="-XX:+UseParallelGC -XX:ParallelGCThreads=1", **tried),
        variant("fewer compiler threads", whole, ["-XX:CICompilerCount=1"], what="-XX:CICompilerCount=1", **tried),
        Arm("32 bit", "i386-client", "rps-1000", options("i386-client", "rps-1000"), RATE, against=whole.name,
            what="the image i386-client", **jvm),
        variant("no CDS, 64 bit", whole, ["-Xshare:off"], what="-Xshare:off", **jvm),
        variant("default archive, 64 bit", whole, [default_archive("amd64-c1")], what="an archive of the JDK's classes only", **jvm),
        variant("JDK 21, 64 bit", whole, image="amd64-c1-jdk21", what="JDK 21", **jvm),
        variant("JDK 25, 64 bit", whole, ["--sun-misc-unsafe-memory-access=allow"], image="amd64-c1-jdk25", what="JDK 25", **jvm),
    ]


def without_c1_only(family):
    """The image that holds the server VM to C1 beside the one that does not."""
    whole = family.arms[0]
    c2 = variant("without TieredStopAtLevel", whole, image="amd64-tiered", rows=("TieredStopAtLevel",),
                 what="-XX:TieredStopAtLevel=1: the image amd64-tiered")
    return dataclasses.replace(family, arms=(*family.arms, c2))


def bars():
    minute = Windows(8, 60, 15)
    brief = Windows(5, 1, 15)
    return Family("bars", (
        base("i386-client", "rps-1000", 1000, windows=minute),
        base("i386-client", "rps-100", 100, windows=Windows(8, 60, 30)),
        base("compact3-amd64", "rps-1000", 1000, windows=minute),
        Arm("envoy", windows=Windows(5, 15, 0)),
        base("amd64-tiered", "rps-40000", 0, connections=64, windows=Windows(8, 60, 6)),
        Arm("envoy, closed loop", rate=0, connections=64, windows=Windows(5, 15, 0)),
        base("amd64-c1", "rps-10000", 10000, windows=brief),
        Arm("amd64-tiered rps-40000 at 20000", "amd64-tiered", "rps-40000", options("amd64-tiered", "rps-40000"), 20000,
            windows=brief),
    ), 2, minute)


def peaks():
    """What the other families do not run: the rest of what images offer."""
    return Family("peaks", (
        base("i386-client", "rps-10000", 10000),
        base("amd64-c1", "rps-100", 100),
        base("amd64-tiered", "rps-100", 100),
        base("amd64-tiered", "rps-10000", 10000),
        *(base(image, f"rps-{rate}", rate) for image in ("compact3-amd64", "compact3-386") for rate in (100, 10000)),
        *(base("host", f"rps-{rate}", rate) for rate in (100, 1000, 10000)),
    ), 1, Windows(3, 15, 3.5))


def all_families():
    at_100 = differing("i386-client", "rps-100", "i386-client")
    at_10000 = differing("amd64-c1", "rps-10000", "amd64-c1")
    at_40000 = differing("amd64-tiered", "rps-40000", "amd64-c1")
    return [
        flag_family("flags-i386-client", "i386-client", "rps-1000", RATE, ROUNDS),
        without_c1_only(flag_family("flags-amd64-c1", "amd64-c1", "rps-1000", RATE, ROUNDS)),
        flag_family("rps-100", "i386-client", "rps-100", 100, ROUNDS, only=at_100, windows=Windows(12, 8, 10)),
        without_c1_only(flag_family("rps-10000", "amd64-c1", "rps-10000", 10000, ROUNDS, only=at_10000, windows=Windows(5, 3, 3))),
        flag_family("rps-40000", "amd64-tiered", "rps-40000", 0, ROUNDS, connections=64, only=at_40000),
        Family("choices", tuple(on_i386() + on_amd64()), ROUNDS, SHORT),
        bars(),
        peaks(),
    ]
