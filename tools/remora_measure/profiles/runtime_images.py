"""The runtime images that profiles are for: their names, their JVMs, and the command that builds one."""
import os
import re
import shutil
from pathlib import Path

from ..repository import BUILT_IMAGES, RUNTIME_IMAGES

HOST = "host"
# The machine's own JDK, by the engine.
ON_HOST = (HOST, f"{HOST}-finagle")


def default_name(image: str) -> str:
    """The same image with the default JDK: one with another JDK shares its flavour and its profiles."""
    return re.sub(r"-jdk\d+$", "", image)


def build_command(image: str) -> list[str]:
    """The words that build an image; the build script knows what is up to date."""
    name, _, jdk = image.partition("-jdk")
    return [str(RUNTIME_IMAGES / "build"), name, *(["--jdk", jdk] if jdk else [])]


def built_with_other_jdks() -> list[str]:
    return sorted(path.name for path in BUILT_IMAGES.glob("*-jdk*") if (path / "image").exists())


def java(image: str, directory: Path = BUILT_IMAGES) -> Path:
    return directory / image / "bin/java"


def start_words(home: Path) -> list[str]:
    """What java is told to start the sidecar of an image, after its options: one with an engine of its own has a class path."""
    engine_jar = home / "lib/remora/finagle/remora-finagle.jar"
    jar = home / "lib/remora/remora.jar"
    return ["-cp", f"{jar}:{engine_jar}", "io.remora.Main"] if engine_jar.exists() else ["-jar", str(jar)]


def host_java() -> str | None:
    """The java of REMORA_JAVA, JAVA_HOME or PATH; None where there is none."""
    home = os.environ.get("JAVA_HOME")
    return os.environ.get("REMORA_JAVA") or (f"{home}/bin/java" if home else shutil.which("java"))
