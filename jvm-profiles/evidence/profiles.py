"""The profiles as data: their flags, each with its row's name and what it bounds. The reader is the lint's."""
import importlib.machinery
import importlib.util
import re
from pathlib import Path

PROFILES = Path(__file__).resolve().parent.parent
DROPPED = PROFILES / "evidence/dropped"

_loader = importlib.machinery.SourceFileLoader("profile_lint", str(PROFILES / "lint"))
lint = importlib.util.module_from_spec(importlib.util.spec_from_loader("profile_lint", _loader))
_loader.exec_module(lint)


def flavours():
    lines = (PROFILES / "images").read_text().splitlines()
    return dict(line.split() for line in lines if line and not line.startswith("#"))


def family_name(image):
    """The image whose profiles this one takes: another JDK's takes those of the default one."""
    return re.sub(r"-jdk\d+$", "", image)


def flags(image, profile):
    """What java is told, in its order."""
    name = family_name(image)
    return lint.Lint(PROFILES, PROFILES / "EVIDENCE.md").parts(name, flavours()[name], profile)[1]


def dropped(image, profile):
    """The flags that the evidence spoke against: no profile has them any more, and their rows are measured all the same."""
    lines = (line.split() for line in DROPPED.read_text().splitlines() if line and not line.startswith("#"))
    wanted = flavours()[family_name(image)]
    return [lint.Flag(DROPPED, 0, flag, []) for flavour, its_profile, flag in lines if (flavour, its_profile) == (wanted, profile)]


def options(image, profile, more=()):
    """As select --options prints them; more flags stand where those of files do."""
    named = [f"-Dremora.profile={profile}", f"-Dremora.image={family_name(image)}"]
    return tuple([flag.text for flag in [*flags(image, profile), *more]] + named)


def bounds():
    """What each flag bounds that bounds something, by the name of its row."""
    found = {"MALLOC_ARENA_MAX": "malloc's arenas"}
    for path in sorted(PROFILES.iterdir()):
        if re.fullmatch(r"common(\.[\w-]+)?|rps-\d+(\.\w+)?", path.name):
            found.update({flag.name: flag.bounds for flag in lint.read(path) if flag.bounds})
    return found
