"""Says what came out of AWS-LC's own tests, and fails if one failed that is not known to.

    own.py NAME RESULTS KNOWN PLATFORM     the file that the test program wrote, and the list of failures that have a reason

A line of the list is: the name of the program, a platform or "*", a test or the beginning of its name with "*", and the reason.
"""
import json
import sys
from fnmatch import fnmatchcase
from pathlib import Path


def of_googletest(document):
    """Names of tests by result, of the file by --gtest_output."""
    results = {"passed": [], "failed": [], "skipped": [], "absent": []}
    for suite in document["testsuites"]:
        for test in suite["testsuite"]:
            name = f'{suite["name"]}.{test["name"]}'
            if test["status"] != "RUN":
                continue
            if "absent" in test:
                results["absent"].append(name)
            elif "failures" in test:
                results["failed"].append(name)
            elif test["result"] == "SKIPPED":
                results["skipped"].append(name)
            else:
                results["passed"].append(name)
    return results, document["time"]


def of_runner(document):
    """The same of the file by -json-output: a test is as it was expected to be, or has not what it needs in the shim."""
    results = {"passed": [], "failed": [], "skipped": [], "absent": []}
    for name, test in document["tests"].items():
        kind = "skipped" if test["actual"] == "SKIP" else "passed" if test["actual"] == "PASS" else "failed"
        results[kind].append(name)
    return results, ""


def known_failures(path, program, platform):
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            of, where, test, _ = line.split(None, 3)
            if of == program and where in ("*", platform):
                yield test


def main(name, path, known, platform):
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        print(f"{name}: the program ended before it wrote its results: {error}")
        return 1
    results, seconds = (of_googletest if "testsuites" in document else of_runner)(document)
    patterns = list(known_failures(known, name.split()[0], platform))
    unknown = [test for test in results["failed"] if not any(fnmatchcase(test, pattern) for pattern in patterns)]
    print(f'{name}: {len(results["passed"])} passed, {len(results["failed"])} failed, of which {len(results["failed"]) - len(unknown)} are known, '
          f'{len(results["skipped"])} skip themselves, {len(results["absent"])} lack data; {seconds}')
    for test in unknown:
        print(f"  failed: {test}")
    for pattern in patterns:
        if name.split()[-1] == name.split()[0] and not any(fnmatchcase(test, pattern) for test in results["failed"]):
            print(f"  no longer fails: {pattern}")
    for test in results["absent"]:
        print(f"  lacks data: {test}")
    return 1 if unknown or not results["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
