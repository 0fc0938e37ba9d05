"""Builds and runs the microbenchmarks. The arguments are passed to JMH, for example Heads.request -f 1, or -l for a list."""
import os
import sys

from ..machine import children, processes
from ..repository import REPOSITORY

BUILD = ["-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Pbench", "package", "-Dmaven.test.skip=true", "-pl", "bench", "-am"]
CLASS_PATH = "proxy/bench/target/classes:proxy/bench/target/lib/*"


def main() -> None:
    if sys.argv[1:] == ["--help"]:
        print(__doc__)
        return
    os.chdir(REPOSITORY)
    if children.run(["scripts/mvn", *BUILD], children.BUILD_S).returncode != 0:
        sys.exit(1)
    java = f"{processes.default_java_home()}/bin/java"
    os.execv(java, [java, "-cp", CLASS_PATH, "org.openjdk.jmh.Main", "-prof", "gc", *sys.argv[1:]])


if __name__ == "__main__":
    main()
