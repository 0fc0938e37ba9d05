"""Where the images are, and how their JVM is started. What is missing is built."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import measure
import profiles

REPOSITORY = profiles.PROFILES.parent
RUNTIME_IMAGES = REPOSITORY / "runtime-images"
JARS = REPOSITORY / "proxy/core/target"
LATER_JDKS = Path("/usr/lib/jvm")


class Images:
    def __init__(self, directory, java_home, work, session, log):
        self.directory, self.java_home, self.work, self.session, self.log = directory, java_home, work, session, log

    def command(self, image, options):
        told = [option.replace("{work}", str(self.work)) for option in options]
        return [str(self.java(image)), *told, "-XX:+PrintCodeCache", "-jar", str(self.jar(image)),
                "run", "--config", str(self.work / "remora.yaml")]

    def java(self, image):
        return profiles.lint.host_java() if image == "host" else self.directory / image / "bin/java"

    def jar(self, image):
        return JARS / "remora.jar" if image == "host" else self.directory / image / "lib/remora/remora.jar"

    def prepare(self, arms):
        """Builds what the arms run on; tells the images that cannot be had."""
        missing = {}
        for image in dict.fromkeys(arm.image for arm in arms if arm.image and arm.image != "host"):
            print(f"preparing {image}", file=sys.stderr)
            problem = self.build(image)
            if problem:
                missing[image] = problem
        for image in {arm.image for arm in arms if any("/default-" in option for option in arm.options)} - set(missing):
            self.default_archive(image)
        return missing

    def build(self, image):
        """The build script knows what is up to date. Returns what went wrong."""
        if image.endswith("-jdk25") and not (RUNTIME_IMAGES / "locks/25-amd64.lock").exists():
            return self.jdk25(self.directory / image)
        if self.directory != RUNTIME_IMAGES / "target":
            return None if self.java(image).exists() else f"not in {self.directory}"
        name, _, jdk = image.partition("-jdk")
        compact, _, arch = name.partition("-")
        platform = ["--platform", f"linux/{arch}"] if compact == "compact3" else []
        command = [RUNTIME_IMAGES / "build", compact if platform else name, *platform, *(["--jdk", jdk] if jdk else [])]
        try:
            subprocess.run(command, check=True, stdout=self.log, stderr=self.log, env={**os.environ, "JAVA_HOME": self.java_home})
        except (OSError, subprocess.CalledProcessError) as problem:
            return str(problem)

    def default_archive(self, image):
        """Of the classes that the JDK's own list names, for the JVM of an image."""
        target = self.work / f"default-{image}.jsa"
        subprocess.run(
            [self.java(image), "-XX:+UseSerialGC", "-Xmx64m", "-Xshare:dump",
             f"-XX:SharedClassListFile={self.java_home}/lib/classlist", f"-XX:SharedArchiveFile={target}"],
            check=True, stdout=self.log, stderr=self.log)

    def jdk25(self, output):
        """An image of the machine's own JDK 25, where there is one, made as the others are."""
        homes = sorted(home for home in LATER_JDKS.glob("*25*") if (home / "bin/jlink").exists())
        if not homes:
            return f"no JDK 25 with jlink in {LATER_JDKS}"
        jar = JARS / "remora.jar"
        if output.exists() and (output / "image").exists() and (output / "image").stat().st_mtime > jar.stat().st_mtime:
            return None
        shutil.rmtree(output, ignore_errors=True)
        (output / "bin").mkdir(parents=True)
        lines = (RUNTIME_IMAGES / "modules/minimal").read_text().splitlines()
        modules = ",".join(line.split("#")[0].strip() for line in lines if line.split("#")[0].strip())
        measure.jlink(output / "runtime", homes[0], modules)
        (output / "bin/java").symlink_to("../runtime/bin/java")
        shutil.copytree(JARS / "lib", output / "lib/remora/lib")
        shutil.copy2(jar, output / "lib/remora/remora.jar")
        options = [*profiles.options("amd64-c1", "rps-1000"), "-XX:TieredStopAtLevel=1", "--sun-misc-unsafe-memory-access=allow"]
        made = self.work / "jdk25.jsa"
        measure.archive(output / "bin/java", options, output / "lib/remora/remora.jar", self.work / "remora.yaml", made,
                        self.session, self.log)
        shutil.move(made, output / "runtime/lib/server/classes.jsa")
        (output / "image").write_text("name=amd64-c1\nplatform=linux/amd64\nflavour=c1\njdk=25\n")
        return None


def require(*programs):
    for program in programs:
        if not shutil.which(program):
            sys.exit(f"evidence: {program} is not installed")
