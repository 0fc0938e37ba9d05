"""What of a command does not exist: its program, target, word, option, image, or page of the admin listener."""
import functools
import os
import re
import subprocess
import sys

from blocks import PLACEHOLDER, ROOT

LAUNCHER = ROOT / "proxy/bin/remora"
MAKEFILE = (ROOT / "Makefile").read_text()
# Programs that are not of this repository.
OTHERS = {"$EDITOR", "awk", "base64", "docker", "export", "grep", "gunzip", "helm", "java", "jfr", "jlink", "kind", "kubectl", "openssl", "read", "sed", "sleep"}
# Words of the shell before a command, or without one.
KEYWORDS = {"while", "do", "done"}


@functools.cache
def help_of(*words):
    """The help of a program of ./measure, or of the sidecar."""
    if words[0] == "remora":
        return subprocess.run([LAUNCHER, "help"], check=True, capture_output=True, text=True).stdout
    environment = {**os.environ, "PYTHON": sys.executable}
    command = [ROOT / "scripts/python", "-m", "remora_measure", *words, "--help"]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment).stdout


def options(words):
    return [word.partition("=")[0] for word in words if word.startswith("--")]


def unknown_option(words, text):
    return next((f"{words[0]}: there is no {option}" for option in options(words) if option not in ("--help", "--") and not re.search(rf"{option}(?![\w-])", text)), None)


def problem_of(command):
    """A line, or None where all of it exists. Placeholders such as FILE stand for anything."""
    words = [word for word in command if not PLACEHOLDER.search(word)]
    while words and words[0] in KEYWORDS:
        del words[0]
    program = words[0] if words else ""
    if not words or program in OTHERS:
        return of_docker(words) if program == "docker" else None
    if program == "curl":
        return of_curl(words)
    if program == "make":
        return of_make(words[1:])
    if program == "./measure":
        return of_measure(words[1:])
    if program.rpartition("/")[2] == "remora":
        return of_remora(words[1:])
    path = ROOT / program
    if program.startswith("runtime-images/target"):
        return None  # what make runtime has built
    if not path.exists():
        return f"there is no {program}"
    if path.is_dir() or program == "scripts/mvn":
        return None
    text = path.read_text()
    return unknown_option(words, text + "".join((ROOT / name).read_text() for name in re.findall(r"[\w/]+\.py", text) if (ROOT / name).exists()))


def of_make(words):
    for word in words:
        variable, is_set, _ = word.partition("=")
        if is_set and not re.search(rf"\$\({variable}\)|(?m:^{variable} \?=)", MAKEFILE):
            return f"make: there is no {variable}"
        if not is_set and not re.search(rf"(?m)^{re.escape(word)}:", MAKEFILE):
            return f"make: there is no target {word}"
    return None


def of_measure(words):
    names = [word for word in words if not word.startswith("-")]
    if not names:
        return None
    if not re.search(rf"(?m)^  {re.escape(names[0])} ", help_of("--help")):
        return f"./measure: there is no {names[0]}"
    if names[0] == "test":
        return None if len(names) < 2 or re.search(rf"(?m)^  {names[1]} ", help_of("test")) else f"./measure test: there is no {names[1]}"
    if names[0] == "figures":
        return None if " ".join(names[:3 if "take" in names else 2]) in help_of("figures") else f"./measure {' '.join(names)}: not in its help"
    kind = [words[words.index("--what") + 1] if "--what" in words else "images"] if names[0] == "compare" else []
    return unknown_option([names[0], *options(words)], help_of(names[0]) + "".join(help_of("compare", "--what", each) for each in kind))


def of_remora(words):
    text = help_of("remora")
    if words and not words[0].startswith("-") and not re.search(rf"(?:\bremora|\|) {words[0]}\b", text):
        return f"remora: there is no {words[0]}"
    missing = next((word for word in words if word.startswith("examples/") and not (ROOT / word).exists()), None)
    return f"there is no {missing}" if missing else unknown_option(["remora", *words], text)


def of_docker(words):
    image = next((word for word in words if word.startswith("remora:")), None)
    return f"docker: make builds no {image}" if image and image not in MAKEFILE else None


def of_curl(words):
    """The admin listener's pages, by their reference, and those of the flight recorder."""
    admin = "".join((ROOT / "docs" / page).read_text() for page in ("admin.md", "recording.md"))
    for word in words:
        if (page := re.match(r"http://127\.0\.0\.1:9990(/[\w.-]*)", word)) and not re.search(rf"(?m)^\| `{re.escape(page[1])}` ", admin):
            return f"curl: the admin listener has no {page[1]}"
    return None
