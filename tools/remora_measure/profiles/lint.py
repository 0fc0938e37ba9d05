"""The lint of the JVM profiles: every flag in their files, and on a JVM that runs with them."""
import re
import subprocess
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..machine import children
from ..repository import SIDECAR_JAR, SIDECAR_LIBRARIES
from . import flag_files
from .flag_files import Flag
from .runtime_images import default_name

PRINTED = re.compile(r"\s*\w+\s+(\w+)\s+:?=\s+(.*?)\s*\{.*?\}\s+\{(.*?)\}")
VERSION = re.compile(r'(openjdk|java) version "|OpenJDK |Java\(TM\) |Java HotSpot\(TM\) ')
EVIDENCE_ROW = re.compile(r"^\|\s*`([^`]+)`")

# Flags of a JVM: name to value and origin.
Values = dict[str, tuple[str, str]]


class Lint:
    """Collects findings. profiles is the directory of the profiles, evidence the page with a row for each flag."""

    def __init__(self, profiles: Path, evidence: Path) -> None:
        self.profiles, self.evidence = profiles, evidence
        self.findings: list[str] = []
        self.properties: set[str] | None = None

    def find(self, place: str, message: str) -> None:
        self.findings.append(f"{place}: {message}")

    def files(self) -> None:
        """Each file by itself."""
        rows: set[str] = set()
        if self.evidence.exists():
            rows = {match.group(1) for line in self.evidence.read_text().splitlines() if (match := EVIDENCE_ROW.match(line))}
        else:
            self.find(self.evidence.name, "is not there: no flag has evidence")
        for path in flag_files.all_files(self.profiles):
            for flag in flag_files.read(path):
                self.flag(flag, rows)

    def flag(self, flag: Flag, rows: set[str]) -> None:
        if re.search(r"\s", flag.text):
            self.find(flag.place, f"{flag.text}: one flag a line, without blanks")
        if not flag.text.startswith("-"):
            self.find(flag.place, f"{flag.text}: not a flag")
        if not flag.reason:
            self.find(flag.place, f"{flag.name} has no reason above it")
        if flag.evidence != flag.name:
            self.find(flag.place, f"{flag.name} has no line '# evidence: {flag.name}' above it")
        elif self.evidence.exists() and flag.name not in rows:
            self.find(flag.place, f"{flag.name} has no row in {self.evidence.name}")
        if flag.text.startswith("-D") and flag.name not in self.known_properties():
            self.find(flag.place, f"nothing of the proxy reads the property {flag.name}")
        if flag.text.startswith("-X") and not flag.expected():
            self.find(flag.place, f"{flag.text}: its effect cannot be checked; write it as -XX:")

    def known_properties(self) -> set[str]:
        """The names of properties in the proxy's classes and its libraries'."""
        if self.properties is None:
            self.properties = set()
            for jar in [SIDECAR_JAR, *SIDECAR_LIBRARIES.glob("*.jar")]:
                with zipfile.ZipFile(jar) as classes:
                    for name in classes.namelist():
                        if name.endswith(".class"):
                            self.properties.update(re.findall(r"[a-z][\w-]*(?:\.[\w-]+)+", classes.read(name).decode("latin-1")))
        return self.properties

    def image(self, image: str, flavour: str, java: str | Path) -> None:
        """Each profile on one JVM."""
        # the defaults must not hang on how large the machine is; what is experimental shows when it is unlocked only
        defaults, _ = run(java, ["-XX:ActiveProcessorCount=2", "-XX:+UnlockExperimentalVMOptions"])
        del defaults["UnlockExperimentalVMOptions"]
        profiles = offered(self.profiles, image) or offered(self.profiles, default_name(image))
        if not profiles:
            self.find(image, "has no row in peaks")
        for profile in profiles:
            paths = flag_files.files_of(self.profiles, image, flavour, profile)
            flags = [flag for path in paths for flag in flag_files.read(path)]
            self.composition(f"{image} {profile}", flags)
            values, complaints = run(java, [f"@{path}" for path in paths])
            for complaint in complaints:
                self.find(f"{image} {profile}", complaint)
            if values:
                self.effects(f"{image} {profile}", flags, values, defaults)

    def composition(self, place: str, flags: Iterable[Flag]) -> None:
        """No flag is set twice in what makes up a profile."""
        seen: dict[str, str] = {}
        for flag in flags:
            if flag.name in seen and not flag.text.startswith("--"):
                self.find(place, f"{flag.name} is set in {seen[flag.name]} and in {flag.place}")
            seen[flag.name] = flag.place

    def effects(self, place: str, flags: Iterable[Flag], values: Values, defaults: Values) -> None:
        """Finds flags that are not in effect as written, or are the JVM's default."""
        for flag in flags:
            expected = flag.expected()
            for name, asked in expected.items():
                value, origin = values.get(name, ("nothing", ""))
                if value != asked:
                    self.find(place, f"{flag.place}: {flag.text} is in effect as {name}={value}")
                elif "command line" not in origin:
                    self.find(place, f"{flag.place}: {flag.text} had no effect: {name} is {origin}")
            if expected and all(defaults.get(name, ("",))[0] == asked for name, asked in expected.items()):
                self.find(place, f"{flag.place}: {flag.text} is this JVM's default")


def offered(profiles: Path, image: str) -> list[str]:
    """The profiles that were measured on an image."""
    return [line.split()[1] for line in flag_files.data_lines(profiles / "peaks") if line.split()[0] == image]


def run(java: str | Path, arguments: Sequence[str]) -> tuple[Values, list[str]]:
    """Starts the JVM with these arguments; returns the value of each flag, and all other lines of its output."""
    process = children.run(
        [java, *arguments, "-XX:+PrintFlagsFinal", "-version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    values: Values = {}
    complaints: list[str] = []
    for line in process.stdout.splitlines():
        match = PRINTED.fullmatch(line)
        if match:
            values[match.group(1)] = (match.group(2), match.group(3))
        elif "warning" in line or not (VERSION.match(line) or line == "[Global flags]" or "NOTE: Picked up" in line):
            complaints.append(line)
    if process.returncode != 0 and not complaints:
        complaints.append(f"java ended with status {process.returncode}")
    return values, complaints
