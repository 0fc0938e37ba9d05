"""The runtime images that profiles are for: their names, their JVMs, and the command that builds one."""
import os
import re
import shutil
from pathlib import Path

from ..repository import BUILT_IMAGES, FINAGLE_JAR, RUNTIME_IMAGES, SIDECAR_JAR
from ..systems.sidecars import ON_HOST


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


def start_words(image: str, directory: Path = BUILT_IMAGES) -> list[str]:
    """Arguments of java that start the sidecar of an image, after its options: one with an engine of its own has a class path."""
    if image in ON_HOST:
        jar, engine_jar, has_engine = SIDECAR_JAR, FINAGLE_JAR, bool(ON_HOST[image])
    else:
        jar, engine_jar = (directory / image / "lib/remora" / name for name in ("remora.jar", "finagle/remora-finagle.jar"))
        has_engine = engine_jar.exists()
    return ["-cp", f"{jar}:{engine_jar}", "io.remora.Main"] if has_engine else ["-jar", str(jar)]


def host_java() -> str | None:
    """The java of REMORA_JAVA, JAVA_HOME or PATH; None where there is none."""
    home = os.environ.get("JAVA_HOME")
    return os.environ.get("REMORA_JAVA") or (f"{home}/bin/java" if home else shutil.which("java"))
