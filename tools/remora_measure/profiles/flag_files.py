"""The files of the JVM profiles: one java option a line, each below comments with its reason and where its evidence is."""
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..repository import JVM_PROFILES
from .runtime_images import default_name

# The flags that the evidence spoke against, which no profile has any more.
DROPPED = JVM_PROFILES / "evidence/dropped"
# Flags that the short options of the java launcher set, by their names in -XX:+PrintFlagsFinal, and their unit there.
SHORT = {
    "Xms": (["InitialHeapSize", "MinHeapSize"], 1),
    "Xmx": (["MaxHeapSize"], 1),
    "Xmn": (["NewSize", "MaxNewSize"], 1),
    "Xss": (["ThreadStackSize"], 1024),
}
UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}
MARKS = ("evidence:", "bounds:")
DEFAULT_ENGINE = "netty"


class Flag:
    """A line of a profile file, and the comment lines above it."""

    def __init__(self, path: Path, number: int, text: str, comments: Iterable[str]) -> None:
        self.place, self.text = f"{path.name}:{number}", text
        marks = {line.split(":")[0]: line.split(":", 1)[1].strip() for line in comments if line.startswith(MARKS)}
        self.evidence, self.bounds = marks.get("evidence"), marks.get("bounds")
        self.reason = " ".join(line for line in comments if not line.startswith(MARKS)).strip()
        self.name = name_of(text)

    def expected(self) -> dict[str, str]:
        """What -XX:+PrintFlagsFinal has to say of it: name to value; empty for what is no flag of the VM."""
        text = self.text
        if match := re.fullmatch(r"-XX:([+-])(\w+)", text):
            return {match.group(2): "true" if match.group(1) == "+" else "false"}
        if match := re.fullmatch(r"-XX:(\w+)=(.*)", text):
            return {match.group(1): amount(match.group(2))}
        if match := re.fullmatch(r"-(Xm[snx]|Xss)(\w+)", text):
            names, unit = SHORT[match.group(1)]
            return {name: str(int(amount(match.group(2))) // unit) for name in names}
        return {}


def name_of(text: str) -> str:
    """The name of a flag, without its value."""
    for pattern in (r"-XX:[+-](\w+)$", r"-XX:(\w+)=", r"-(Xm[snx]|Xss)", r"-(X\w+)", r"-D([^=]+)", r"--([\w-]+)"):
        if match := re.match(pattern, text):
            return match.group(1)
    return text


def amount(text: str) -> str:
    """A size in bytes; what is no size as it is."""
    match = re.fullmatch(r"(\d+)([kmg]?)", text.lower())
    return str(int(match.group(1)) * UNITS[match.group(2)]) if match else text


def data_lines(path: Path) -> Iterator[str]:
    """The lines of a data file that are neither empty nor comments."""
    return (line for line in path.read_text().splitlines() if line and not line.startswith("#"))


def read(path: Path) -> list[Flag]:
    """The flags of a file; the comments of one end at a blank line."""
    flags: list[Flag] = []
    comments: list[str] = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("#"):
            comments.append(line[1:].strip())
        elif line.strip():
            flags.append(Flag(path, number, line, comments))
        if not line.startswith("#"):
            comments = []
    return flags


def all_files(directory: Path) -> list[Path]:
    """Every file of the directory that flags stand in."""
    return [path for path in sorted(directory.iterdir()) if re.fullmatch(r"common(\.[\w-]+)?|([a-z]+-)?rps-\d+(\.\w+)?", path.name)]


def files_of(directory: Path, image: str, flavour: str, profile: str) -> list[Path]:
    """The files that make up a profile on an image, in the order in which the launcher reads them."""
    engine = engines(directory).get(image, DEFAULT_ENGINE)
    names = ["common", f"common.{engine}", f"common.{flavour}", f"common.{image.removesuffix('-' + engine)}", profile, f"{profile}.{flavour}"]
    return [directory / name for name in names if (directory / name).is_file()]


def flavours(directory: Path = JVM_PROFILES) -> dict[str, str]:
    """Which flavour of the JVM each runtime image has."""
    return {image: flavour for image, flavour, *_ in map(str.split, data_lines(directory / "images"))}


def engines(directory: Path = JVM_PROFILES) -> dict[str, str]:
    """The engine of each runtime image."""
    return {image: more[0] if more else DEFAULT_ENGINE for image, _, *more in map(str.split, data_lines(directory / "images"))}


def flags(image: str, profile: str) -> list[Flag]:
    """The arguments of java, in its order."""
    name = default_name(image)
    return [flag for path in files_of(JVM_PROFILES, name, flavours()[name], profile) for flag in read(path)]


def dropped(image: str, profile: str) -> list[Flag]:
    """The flags of a profile that the evidence spoke against; they are measured all the same, so that their rows stay."""
    wanted = flavours()[default_name(image)]
    lines = map(str.split, data_lines(DROPPED))
    return [Flag(DROPPED, 0, flag, []) for flavour, its_profile, flag in lines if (flavour, its_profile) == (wanted, profile)]


def options(image: str, profile: str, more: Iterable[Flag] = ()) -> tuple[str, ...]:
    """As select --options prints them; more flags stand where those of files do."""
    named = [f"-Dremora.profile={profile}", f"-Dremora.image={default_name(image)}", f"-Dremora.peak={peak(default_name(image), profile)}"]
    return tuple([flag.text for flag in [*flags(image, profile), *more]] + named)


def peak(image: str, profile: str) -> int:
    """The most memory that a profile was seen to take on an image, in bytes; 0 where it was not measured."""
    rows = (line.split() for line in data_lines(JVM_PROFILES / "peaks"))
    return next((int(row[3]) for row in rows if row[:2] == [image, profile]), 0)


def bounds() -> dict[str, str]:
    """What each flag bounds that bounds something, by the name of its row."""
    found = {"MALLOC_ARENA_MAX": "malloc's arenas"}
    for path in all_files(JVM_PROFILES):
        found.update({flag.name: flag.bounds for flag in read(path) if flag.bounds})
    return found
