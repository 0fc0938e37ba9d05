"""What is measured: an arm is one system with its options under one load; a family is arms that are measured in turn."""
from dataclasses import dataclass
from typing import NamedTuple

import profiles


class Windows(NamedTuple):
    """Seconds: before anything counts; for memory and CPU; for latencies (and CPU), after the first question to the admin listener."""

    warmup: float
    memory: float
    latency: float


@dataclass(frozen=True)
class Arm:
    name: str
    image: str = ""  # none: Envoy
    profile: str = ""
    options: tuple = ()
    rate: int = 1000  # requests a second; 0: closed loop
    connections: int = 16
    against: str = ""  # the arm that it is compared with; none: a profile as it is
    rows: tuple = ()  # the flags whose rows it backs
    what: str = ""  # how it differs from that arm
    topic: str = ""  # the table it stands in
    arenas: str = "1"  # MALLOC_ARENA_MAX, as the launcher sets it
    windows: Windows = None  # other than the family's

    def identity(self):
        """What must be the same for a run that is on file to count."""
        return [self.image, self.profile, sorted(self.options), self.rate, self.connections, self.arenas]


@dataclass(frozen=True)
class Family:
    name: str
    arms: tuple
    rounds: int
    windows: Windows

    def windows_of(self, arm):
        return arm.windows or self.windows


# One does nothing without the other, so that they are left out together.
TOGETHER = (("UnlockExperimentalVMOptions", "SymbolTableSize"), ("add-opens", "io.netty.tryReflectionSetAccessible"))
SHORT = Windows(3, 2, 3.5)


def base(image, profile, rate, flags=(), **more):
    return Arm(f"{image} {profile}", image, profile, profiles.options(image, profile, flags), rate, **more)


def without(whole, flags):
    """The arm of a profile that goes without some of its flags."""
    texts = [flag.text for flag in flags]
    names = tuple(flag.name for flag in flags)
    left = tuple(option for option in whole.options if option not in texts)
    return Arm("without " + " ".join(names), whole.image, whole.profile, left, whole.rate, whole.connections,
               against=whole.name, rows=names, what=" ".join(texts))


def groups(flags):
    """Flags by what is left out at once."""
    seen = []
    for flag in flags:
        names = next((names for names in TOGETHER if flag.name in names), (flag.name,))
        if names not in seen:
            seen.append(names)
    return [[flag for flag in flags if flag.name in names] for names in seen]


def flag_family(name, image, profile, rate, rounds, connections=16, only=None, windows=SHORT):
    dropped = profiles.dropped(image, profile)
    whole = base(image, profile, rate, dropped, connections=connections)
    flags = [flag for flag in profiles.flags(image, profile) if only is None or flag.text in only] + dropped
    arms = [whole, *(without(whole, group) for group in groups(flags))]
    if only is None:
        arms.append(Arm("without MALLOC_ARENA_MAX", image, profile, whole.options, rate, connections, against=whole.name,
                        rows=("MALLOC_ARENA_MAX",), what="MALLOC_ARENA_MAX=1", arenas=""))
    return Family(name, tuple(arms), rounds, windows)


def differing(image, profile, measured_image):
    """The flags that are not among those of rps-1000 on an image where all are measured."""
    known = profiles.options(measured_image, "rps-1000")
    return {flag.text for flag in profiles.flags(image, profile) if flag.text not in known}
