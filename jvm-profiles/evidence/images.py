"""Where the images are, and how their JVM is started. What is missing is built."""
import os
import shutil
import subprocess
import sys

import profiles

REPOSITORY = profiles.PROFILES.parent
RUNTIME_IMAGES = REPOSITORY / "runtime-images"
JARS = REPOSITORY / "proxy/core/target"


class Images:
    def __init__(self, directory, java_home, work, log):
        self.directory, self.java_home, self.work, self.log = directory, java_home, work, log

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
        if self.directory != RUNTIME_IMAGES / "target":
            return None if self.java(image).exists() else f"not in {self.directory}"
        name, _, jdk = image.partition("-jdk")
        compact, _, arch = name.partition("-")
        platform = ["--platform", f"linux/{arch}"] if compact == "compact3" else []
        command = [RUNTIME_IMAGES / "build", compact if platform else name, *platform, *(["--jdk", jdk] if jdk else [])]
        try:
            subprocess.run(command, check=True, stdout=self.log, stderr=self.log, env={**os.environ, "JAVA_HOME": self.java_home})
        except (OSError, subprocess.CalledProcessError) as problem:
            last = (self.work / "log").read_text(errors="replace").strip().splitlines()[-1:]
            return " ".join([f"runtime-images/build failed ({problem.__class__.__name__}):", *last])

    def default_archive(self, image):
        """Of the classes that the JDK's own list names, for the JVM of an image."""
        target = self.work / f"default-{image}.jsa"
        subprocess.run(
            [self.java(image), "-XX:+UseSerialGC", "-Xmx64m", "-Xshare:dump",
             f"-XX:SharedClassListFile={self.java_home}/lib/classlist", f"-XX:SharedArchiveFile={target}"],
            check=True, stdout=self.log, stderr=self.log)


def require(*programs):
    for program in programs:
        if not shutil.which(program):
            sys.exit(f"evidence: {program} is not installed")
