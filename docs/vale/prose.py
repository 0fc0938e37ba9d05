"""Checks the project's English by the style of docs/style.md, with Vale.

  scripts/prose              the gate: pages, the list of make's targets, the first sentences of comments in scripts and tools, of doc comments in
                             Java, and its log lines; unclean.txt names pages that are left out
  scripts/prose --report     also those pages; counts by file
  scripts/prose --figures    words, sentences and their median length, by page

Exit status: 0, or 1 for a finding of the gate, or where Vale fails to build. Without Go, or without a network, nothing is checked, and a line says so.
"""
import json
import re
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STYLE = ROOT / "docs/vale"
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md", "docs/**/*.md", "jvm-profiles/README.md", "loadtest/README.md",
         "runtime-images/README.md")
# scripts/counterparts exits so where a program that it needs is not installed
NO_PROGRAM = 69
NO_NETWORK = re.compile(r"dial tcp|no such host|connection refused|network is unreachable|i/o timeout|Temporary failure|NewConnectionError|ConnectTimeout")
SOURCES = ("proxy/core/src/main", "proxy/finagle/src/main")
DOC = re.compile(r"(?s)/\*\*(.*?)\*/")
INLINE = re.compile(r"\{@(\w+)\s+([^{}]*)\}")
LOG = re.compile(r"\bLog\.(?:info|warn|error)\(")
HASHES = re.compile(r"(?m)(?:^[ \t]*#(?!!)(?:[ \t].*)?\n)+")
COMMENTED = ("scripts", "tools", "runtime-images", "jvm-profiles", "deploy", "loadtest/tests", "docs/figures", "docs/site", "docs/vale", ".ci", "Makefile", "proxy/bin", "measure")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def unclean():
    lines = (STYLE / "unclean.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def pages():
    """Every page that the style is for, by its path in the repository."""
    return sorted({page.relative_to(ROOT).as_posix() for pattern in PAGES for page in ROOT.glob(pattern)})


def named(tag):
    """The text that stands for a tag: a link shows its label, or what it leads to."""
    kind, text = tag.groups()
    if kind.startswith("link"):
        target, _, label = text.strip().partition(" ")
        return label or f"`{target.lstrip('#').replace('#', '.')}`"
    return f"`{text.strip()}`"


def first_sentence(comment):
    """The first sentence of a doc comment, in Markdown; nothing for one that only has tags."""
    text = " ".join(line.strip().lstrip("*").strip() for line in comment.strip().splitlines())
    text = INLINE.sub(named, text)
    text = re.split(r"<p>|<ul>|<pre>|<table>|(?:^|\s)@(?:param|return|throws|see|implNote|author|since)\b", text)[0].strip()
    ended = re.search(r"[.:?!](?=\s|$)", re.sub(r"`[^`]*`", lambda code: "x" * len(code.group()), text))
    return text[:ended.end()] if ended else text


def doc_comments(text):
    """(line, first sentence) of each doc comment."""
    for comment in DOC.finditer(text):
        sentence = first_sentence(comment.group(1))
        if sentence:
            yield text.count("\n", 0, comment.start()) + 1, sentence


def statement(text, start):
    """The text from a place to the semicolon that ends the statement, which is none in a string."""
    end = re.compile(r'"(?:[^"\\]|\\.)*"|;').finditer(text, start)
    return text[start:next((token.start() for token in end if token.group() == ";"), len(text))]


def log_lines(text):
    """(line, message) of each call of the log, with NAME where a value stands."""
    for call in LOG.finditer(text):
        pieces = STRING.findall(statement(text, call.end()))
        if pieces:
            yield text.count("\n", 0, call.start()) + 1, "NAME".join(pieces).replace("\\n", " ").replace('\\"', '"').strip()


class Extract:
    """Sentences from elsewhere as a page of Markdown, each with its place."""

    def __init__(self, name):
        self.name, self.places, self.sentences = name, [], []

    def add(self, place, sentence):
        self.places.append(place)
        self.sentences.append(sentence)

    def write(self, directory):
        # an empty line makes each a paragraph of its own
        (directory / self.name).write_text("".join(f"{sentence}\n\n" for sentence in self.sentences))

    def place(self, line):
        return self.places[(line - 1) // 2]


def java():
    comments, logs = Extract("doc-comments.md"), Extract("log-lines.md")
    for source in sorted(file for folder in SOURCES for file in (ROOT / folder).rglob("*.java")):
        path, text = source.relative_to(ROOT).as_posix(), source.read_text()
        for line, sentence in doc_comments(text):
            comments.add(f"{path}:{line}", sentence)
        for line, sentence in log_lines(text):
            logs.add(f"{path}:{line}", sentence)
    return [comments, logs]


def targets():
    extract = Extract("make-help.md")
    for number, line in enumerate((ROOT / "Makefile").read_text().splitlines(), 1):
        target = re.match(r"[a-z0-9-]+:.*## (.*)", line)
        if target:
            extract.add(f"Makefile:{number}", target.group(1))
    return extract


def hash_comments(text):
    """(line, first sentence) of each block of comments that begin with # and fill their lines."""
    for block in HASHES.finditer(text):
        lines = [line.strip().lstrip("#").strip() for line in block.group().splitlines()]
        words = " ".join(line for line in lines if not line.startswith(("!", "shellcheck", "syntax=", "evidence:", "bounds:", "type:", "noqa")))
        sentence = first_sentence(words)
        if len(sentence.split()) > 2 and " " in sentence:
            yield text.count("\n", 0, block.start()) + 1, sentence


def scripts():
    """Comments of the scripts, the tools, and the files that they read."""
    extract = Extract("script-comments.md")
    listed = subprocess.run(["git", "ls-files", *COMMENTED], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    for path in listed:
        text = (ROOT / path).read_bytes()
        if path.endswith((".py", ".yaml", ".yml", ".sh", "Makefile")) or "." not in Path(path).name or b"Dockerfile" in path.encode():
            if b"\0" not in text and not path.endswith(".md"):
                for line, sentence in hash_comments(text.decode()):
                    extract.add(f"{path}:{line}", sentence)
    return extract


def extracts():
    """All that the gate checks besides pages."""
    return [targets(), scripts(), *java()]


def findings(vale, names, extracts):
    """(place, rule, message) of each finding."""
    with tempfile.TemporaryDirectory() as directory:
        for extract in extracts:
            extract.write(Path(directory))
        files = [*names, *(str(Path(directory) / extract.name) for extract in extracts)]
        ran = subprocess.run([vale, "--no-exit", "--config", STYLE / "vale.ini", "--output", "JSON", *files], cwd=ROOT, capture_output=True, text=True)
    if ran.returncode:
        raise SystemExit(ran.stdout + ran.stderr)
    by_name = {extract.name: extract for extract in extracts}
    for file, alerts in sorted(json.loads(ran.stdout).items()):
        extract = by_name.get(Path(file).name) if Path(file).is_absolute() else None
        for alert in alerts:
            yield extract.place(alert["Line"]) if extract else f"{file}:{alert['Line']}", alert["Check"].removeprefix("Remora."), alert["Message"]


def sentences(text):
    """The sentences of a page's paragraphs and lists, without code, tables, headings and comments."""
    text = re.sub(r"(?ms)^```.*?^```|<!--.*?-->|^ {4}.*?$|^[|#<].*?$", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    blocks = re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text)
    found = [sentence for block in blocks for sentence in re.split(r"(?<=[.?!:])\s+(?=[A-Z`*])", " ".join(block.split()))]
    found = [re.sub(r"^(?:[-*]|\d+\.) ", "", sentence) for sentence in found]
    return [sentence for sentence in found if re.search(r"\w", sentence)]


def figures(names):
    every = []
    for name in names:
        lengths = [len(sentence.split()) for sentence in sentences((ROOT / name).read_text())]
        every += lengths
        print(f"{sum(lengths):6} words, {len(lengths):4} sentences, median {statistics.median(lengths or [0]):4.1f}, over 25: {sum(n > 25 for n in lengths):3}  {name}")
    print(f"{sum(every):6} words, {len(every):4} sentences, median {statistics.median(every):4.1f}, over 25: {sum(n > 25 for n in every):3}  all")


def main():
    option = sys.argv[1] if len(sys.argv) > 1 else ""
    if option not in ("", "--report", "--figures"):
        print(__doc__)
        return 0 if option in ("--help", "-h") else 64
    if option == "--figures":
        figures(pages())
        return 0
    built = subprocess.run([ROOT / "scripts/counterparts", "vale"], capture_output=True, text=True)
    if built.returncode:
        if built.returncode != NO_PROGRAM and not NO_NETWORK.search(built.stderr):
            print(built.stderr)
            return 1
        print(f"Vale cannot be built, and the prose was not checked: {built.stderr.strip()}")
        return 0
    vale, left_out = built.stdout.strip(), unclean()
    if option == "--report":
        found = list(findings(vale, pages(), extracts()))
        for place, rule, message in found:
            print(f"{place}: {message}")
        counts = Counter("Java" if ".java:" in place else place.rpartition(":")[0] for place, _, _ in found)
        for name, count in sorted(counts.items(), key=lambda entry: entry[1]):
            print(f"{count:6}  {name}")
        return 0
    checked = [page for page in pages() if page not in left_out]
    found = list(findings(vale, checked, extracts()))
    for place, rule, message in found:
        print(f"{place}: {message}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
