"""What is measured: a variant is one system with its options under one load; a family is variants that are measured in turn."""
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..profiles import flag_files
from ..profiles.flag_files import Flag


class Windows(NamedTuple):
    """Seconds: before anything counts; for memory and CPU; for latencies (and CPU), after the first question to the admin listener."""

    warmup: float
    memory: float
    latency: float


@dataclass(frozen=True)
class Variant:
    """The files of results call it an arm."""

    name: str
    image: str = ""  # none: Envoy
    profile: str = ""
    options: tuple[str, ...] = ()
    rate: int = 1000  # requests a second; 0: closed loop
    connections: int = 16
    against: str = ""  # the variant that it is compared with; none: a profile as it is
    rows: tuple[str, ...] = ()  # the flags whose rows it backs
    what: str = ""  # how it differs from that one
    topic: str = ""  # the table it stands in
    arenas: str = "1"  # MALLOC_ARENA_MAX, as the launcher sets it
    windows: Windows | None = None  # other than the family's

    def identity(self) -> list[Any]:
        """What must be the same for a run that is on file to count; not the peak, which is what such runs measure."""
        own = sorted(option for option in self.options if not option.startswith("-Dremora.peak="))
        return [self.image, self.profile, own, self.rate, self.connections, self.arenas]


@dataclass(frozen=True)
class Family:
    name: str
    variants: tuple[Variant, ...]
    rounds: int
    windows: Windows

    def windows_of(self, variant: Variant) -> Windows:
        return variant.windows or self.windows


# One does nothing without the other, so that they are left out together.
TOGETHER = (("UnlockExperimentalVMOptions", "SymbolTableSize"), ("add-opens", "io.netty.tryReflectionSetAccessible"))
SHORT = Windows(3, 2, 3.5)


def base(image: str, profile: str, rate: int, flags: Iterable[Flag] = (), **more: Any) -> Variant:
    """A profile as it is."""
    return Variant(f"{image} {profile}", image, profile, flag_files.options(image, profile, flags), rate, **more)


def without(whole: Variant, flags: Sequence[Flag]) -> Variant:
    """The variant of a profile that goes without some of its flags."""
    texts = [flag.text for flag in flags]
    names = tuple(flag.name for flag in flags)
    left = tuple(option for option in whole.options if option not in texts)
    return Variant("without " + " ".join(names), whole.image, whole.profile, left, whole.rate, whole.connections,
                   against=whole.name, rows=names, what=" ".join(texts))


def groups(flags: Sequence[Flag]) -> list[list[Flag]]:
    """Flags by what is left out at once."""
    seen: list[tuple[str, ...]] = []
    for flag in flags:
        names = next((names for names in TOGETHER if flag.name in names), (flag.name,))
        if names not in seen:
            seen.append(names)
    return [[flag for flag in flags if flag.name in names] for names in seen]


def flag_family(name: str, image: str, profile: str, rate: int, rounds: int, connections: int = 16,
                only: Collection[str] | None = None, windows: Windows = SHORT) -> Family:
    """A profile, and a variant of it without each of its flags, or without each of only these."""
    dropped = flag_files.dropped(image, profile)
    whole = base(image, profile, rate, dropped, connections=connections)
    flags = [flag for flag in flag_files.flags(image, profile) if only is None or flag.text in only] + dropped
    variants = [whole, *(without(whole, group) for group in groups(flags))]
    if only is None:
        variants.append(Variant("without MALLOC_ARENA_MAX", image, profile, whole.options, rate, connections, against=whole.name,
                                rows=("MALLOC_ARENA_MAX",), what="MALLOC_ARENA_MAX=1", arenas=""))
    return Family(name, tuple(variants), rounds, windows)


def differing(image: str, profile: str, measured_image: str) -> set[str]:
    """The flags that are not among those of rps-1000 on an image where all are measured."""
    known = flag_files.options(measured_image, "rps-1000")
    return {flag.text for flag in flag_files.flags(image, profile) if flag.text not in known}
