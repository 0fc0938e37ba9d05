"""Checks every flag of every JVM profile, both in the files and on each JVM that uses it.

In the files, each line contains one flag with a reason and a row in EVIDENCE.md, and a flag appears only once in a profile. On the JVM of each image, the
flag must be known and in effect with its value. It must not be obsolete, deprecated, ignored, or equal to the default of that JVM. Missing images are built,
and images that were built with other JDKs are checked as well. "host" is the JDK in REMORA_JAVA, JAVA_HOME or PATH. The exit status is 1 if there are
findings.
"""
import argparse
import sys
from pathlib import Path

from ..machine import children
from ..profiles import flag_files, runtime_images
from ..profiles.lint import Lint
from ..repository import JVM_PROFILES
from ..systems.sidecars import ON_HOST


def java_of(image: str) -> str | Path:
    """The JVM of an image, which is built where it is missing."""
    if image in ON_HOST:
        return runtime_images.host_java() or sys.exit("lint: no java: neither REMORA_JAVA nor JAVA_HOME is set, and PATH has none")
    java = runtime_images.java(image)
    if not java.exists():
        print(f"lint: building {image}", file=sys.stderr)
        if children.run(runtime_images.build_command(image), children.BUILD_S, stdout=sys.stderr).returncode != 0:
            sys.exit(f"lint: {image} could not be built")
    return java


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="lint", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profiles", type=Path, default=JVM_PROFILES, help="directory of the profiles")
    parser.add_argument("--evidence", type=Path, help="table of evidence (EVIDENCE.md next to the profiles)")
    parser.add_argument("--image", action="append", help="only check this image; can be repeated")
    return parser.parse_args()


def main() -> int:
    options = read_arguments()
    lint = Lint(options.profiles, options.evidence or options.profiles / "EVIDENCE.md")
    lint.files()
    known = flag_files.flavours(options.profiles)
    for image in options.image or [*known, *runtime_images.built_with_other_jdks()]:
        flavour = known.get(runtime_images.default_name(image))
        if flavour is None:
            sys.exit(f"lint: no image {image}; there are {', '.join(known)}")
        lint.image(image, flavour, java_of(image))
    findings = dict.fromkeys(lint.findings)
    for finding in findings:
        print(finding)
    print(f"{len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
