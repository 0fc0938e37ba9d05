"""Where the images are, and how their JVM is started. What is missing is built."""
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from ..errors import DidNotEnd
from ..machine import children
from ..profiles import runtime_images
from ..repository import BUILT_IMAGES
from ..systems.sidecars import ON_HOST
from .variants import Variant


class Images:
    """The images below a directory. log takes what builds write; work is for archives and configurations."""

    def __init__(self, directory: Path, java_home: str, work: Path, log: BinaryIO) -> None:
        self.directory, self.java_home, self.work, self.log = directory, java_home, work, log

    def command(self, image: str, options: Iterable[str]) -> list[str]:
        told = [option.replace("{work}", str(self.work)) for option in options]
        start = runtime_images.start_words(image, self.directory)
        run = ["run", "--config", str(self.work / "remora.yaml"), *ON_HOST.get(image, [])]
        return [str(self.java(image)), *told, "-XX:+PrintCodeCache", *start, *run]

    def java(self, image: str) -> str | Path:
        if image in ON_HOST:
            return runtime_images.host_java() or sys.exit("evidence: no java: neither REMORA_JAVA nor JAVA_HOME is set, and PATH has none")
        return runtime_images.java(image, self.directory)

    def prepare(self, variants: Iterable[Variant]) -> dict[str, str]:
        """Builds what the variants run on; why an image cannot be had, by its name."""
        variants, missing = list(variants), {}
        for image in dict.fromkeys(one.image for one in variants if one.image not in ("", *ON_HOST)):
            print(f"preparing {image}", file=sys.stderr)
            problem = self.build(image)
            if problem:
                missing[image] = problem
        for image in {one.image for one in variants if any("/default-" in option for option in one.options)} - set(missing):
            self.default_archive(image)
        return missing

    def build(self, image: str) -> str | None:
        """The build script knows what is up to date. Returns what went wrong."""
        if self.directory != BUILT_IMAGES:
            return None if runtime_images.java(image, self.directory).exists() else f"not in {self.directory}"
        try:
            children.run(runtime_images.build_command(image), children.BUILD_S, check=True, stdout=self.log, stderr=self.log,
                         env={**os.environ, "JAVA_HOME": self.java_home})
        except (OSError, subprocess.CalledProcessError, DidNotEnd) as problem:
            last = (self.work / "log").read_text(errors="replace").strip().splitlines()[-1:]
            return " ".join([f"runtime-images/build failed ({problem.__class__.__name__}):", *last])
        return None

    def default_archive(self, image: str) -> None:
        """Of the classes that the JDK's own list names, for the JVM of an image."""
        target = self.work / f"default-{image}.jsa"
        children.run(
            [self.java(image), "-XX:+UseSerialGC", "-Xmx64m", "-Xshare:dump",
             f"-XX:SharedClassListFile={self.java_home}/lib/classlist", f"-XX:SharedArchiveFile={target}"],
            check=True, stdout=self.log, stderr=self.log)


def require(*programs: str) -> None:
    for program in programs:
        if not shutil.which(program):
            sys.exit(f"evidence: {program} is not installed")
