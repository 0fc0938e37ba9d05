"""Code blocks of the pages outside docs/tutorials: their text, the configurations that they are part of, and their commands."""
import re
import shlex
import textwrap
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
# Pages whose blocks test_tutorials and deploy/tests/test_quickstart.py run.
ELSEWHERE = {"other-proxies.md", "quickstart-kubernetes.md"}
LANGUAGES = {"yaml", "sh", "text", "ini"}
FENCE = re.compile(r'(?ms)^```(?P<language>\w*)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$')
SPAN = re.compile(r"(?<!`)`([^`\n]+(?:\n[^`\n]+)?)`(?!`)")
# A fence whose lines were joined, and a table that is part of the paragraph above it.
JOINED = re.compile(r"(?m)^\s*```\w+ (?!title=).*$")
UNSPACED = re.compile(r"(?m)^(?![|#<\s-]).+\n(?:\|.*\|$)")
INDENTED = re.compile(r"(?m)^(?:#.*\n|(?!\s)(?!(?:[-*]|\d+\.) ).*\n\n) {4}(?!(?:[-*]|\d+\.) )\S.*$")
COMMAND = re.compile(r"(?:make|remora|proxy/bin/remora|jvm-profiles/select|\./measure|(?:scripts|runtime-images)/[\w/-]+)(?:\s|$)")
# What a reader puts a word of his own for.
PLACEHOLDER = re.compile(r"\[|\.\.\.|<|^[A-Z][A-Z_]*$")
# Keys that only Finagle's engine has.
FINAGLE = re.compile(r"\b(?:dest|dtab|request-dtab|announce|plugins):|engine: finagle")


class Block(NamedTuple):
    place: str
    language: str
    title: str | None
    text: str


def pages():
    """The pages whose blocks no other test runs or checks, by their path."""
    found = [page for folder in (".", "jvm-profiles", "loadtest", "proxy", "runtime-images") for page in sorted((ROOT / folder).glob("*.md"))]
    found += sorted((ROOT / "docs").rglob("*.md"))
    return {page.relative_to(ROOT).as_posix(): page.read_text() for page in found if page.parent.name != "tutorials" and page.name not in ELSEWHERE}


def blocks(*languages):
    """The blocks in one of the languages."""
    return [Block(f"{page}:{text.count(chr(10), 0, fence.start()) + 1}", fence["language"], fence["title"], fence["text"])
            for page, text in pages().items() for fence in FENCE.finditer(text) if fence["language"] in languages]


def unfenced():
    """Fences without a known language, blocks that are indented instead, and blocks and tables that do not render."""
    found = []
    for page, text in pages().items():
        found += [f"{page}: a block in {fence['language'] or 'no language'}" for fence in FENCE.finditer(text) if fence["language"] not in LANGUAGES]
        found += [f"{page}: a block on one line: {block.group().strip()}" for block in JOINED.finditer(text)]
        found += [f"{page}: a table without an empty line above it: {block.group()}" for block in UNSPACED.finditer(FENCE.sub("", text))]
        found += [f"{page}: a block without a fence: {block.group().splitlines()[-1]}" for block in INDENTED.finditer(FENCE.sub("", text))]
    return found


def completed(text, schema):
    """A whole configuration from a part of one.

    The part stands where the JSON Schema of the configuration has its keys: at the top, in a listener, or in the cluster app. A listener
    and the clusters that the part names are added where it has none."""
    listeners, clusters = schema["properties"]["listeners"]["items"], schema["properties"]["clusters"]["additionalProperties"]
    keys = set(re.findall(r"(?m)^([\w-]+):", text))
    if not keys <= set(schema["properties"]):
        if keys <= set(listeners["properties"]):
            head = "listeners:\n  - address: 127.0.0.1:8080\n"
            text = head + textwrap.indent(text, "    ") + ("" if keys & {"cluster", "routes"} else "    cluster: app\n")
        elif keys <= set(clusters["properties"]):
            text = "clusters:\n  app:\n" + textwrap.indent(text, "    ") + ("" if keys & {"endpoints", "resolver"} else "    endpoints: [127.0.0.1:8081]\n")
        else:
            raise ValueError(f"no part of a configuration has all of {sorted(keys)}")
    defined = re.findall(r"(?m)^  ([\w-]+):", text.partition("\nclusters:\n")[2] if "\nclusters:\n" in text else text.partition("clusters:\n")[2])
    if not re.search(r"(?m)^listeners:", text):
        text += f"listeners:\n  - address: 127.0.0.1:8080\n    cluster: {defined[0] if defined else 'app'}\n"
    named = dict.fromkeys(re.findall(r"\bcluster: ([\w-]+)", text) + re.findall(r"/#/([\w-]+)", text))
    protocol = "protocol: tcp, " if "protocol: tcp" in text else ""
    added = "".join(f"  {name}: {{{protocol}endpoints: [127.0.0.1:8081]}}\n" for name in named if name not in defined)
    if added and re.search(r"(?m)^clusters:\n", text):
        return re.sub(r"(?m)^clusters:\n", lambda line: line.group() + added, text)
    return text + (f"clusters:\n{added}" if added else "")


def simple_commands(script):
    """The commands of a script, each as its words: without assignments before it, redirections and comments."""
    found = []
    for line in script.replace("\\\n", " ").splitlines():
        words = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
        words.whitespace_split, words.commenters = True, "#"
        command, skip = [], False
        for word in [*words, ";"]:
            if set(word) <= set("|&;"):
                found += [command] if command else []
                command = []
            elif set(word) <= set("<>"):
                skip = True
            elif skip:
                skip = False
            elif command or not re.match(r"[A-Z_]+=", word):
                command.append(word)
    return found


def spans():
    """Commands within the sentences of the pages, each with its page."""
    return [(page, " ".join(span.split())) for page, text in pages().items() for span in SPAN.findall(FENCE.sub("", text)) if COMMAND.match(span)]
