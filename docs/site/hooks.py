"""Builds the pages of docs/ and those outside it into one site; MkDocs calls the functions on_*.

A page outside docs/ that the navigation or a link names stands at project/PATH. A source or an example that a link names
becomes a page with its text, as a browser would not show it. A link to anything else becomes plain text.
"""
import os
import re
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
DOCS, PROJECT, HOME = "docs/", "project/", "README.md"
# A fence or a code span, which stay as they are, or a link or an image.
TOKEN = re.compile(r"(?ms)^```.*?^```[^\n]*$|`[^`\n]*`|(?P<mark>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)")
# Python's Markdown starts a list after an empty line only, GitHub right after a paragraph, too.
LIST_AFTER_TEXT = re.compile(r"(?m)^((?![-*|<#>\s]|\d+\. ).+)\n(?=(?:[-*]|1\.) )")
LANGUAGES = {".yaml": "yaml", ".json": "json", ".java": "java", ".py": "python", ".sh": "sh"}
MOST_BYTES = 100_000


def source_of(uri):
    """The path in the repository of a page of the site."""
    if uri.startswith(PROJECT):
        path = uri[len(PROJECT):]
        return path if (ROOT / path).exists() else path.removesuffix(".md")
    return DOCS + uri


def uri_of(path):
    """The page of the site that shows a path of the repository, or none."""
    if path == HOME:
        return "index.md"
    file = ROOT / path
    if path.startswith(DOCS) and (file.suffix in (".md", ".svg", ".png")):
        return path[len(DOCS):]
    if file.suffix == ".md" and file.is_file():
        return PROJECT + path
    if file.is_file() and file.stat().st_size <= MOST_BYTES and (file.suffix in LANGUAGES):
        return f"{PROJECT}{path}.md"
    return None


def targets(text, source):
    """The paths in the repository that a page links to."""
    for token in TOKEN.finditer(text):
        path = (token["target"] or "").partition("#")[0]
        if path and not re.match(r"[a-z]+:", path):
            yield os.path.normpath(os.path.join(os.path.dirname(source), path))


def shown(path):
    """The Markdown of a path outside docs/."""
    text = (ROOT / path).read_text()
    if path.endswith(".md"):
        return text
    return f"# {path}\n\n~~~~~~ {LANGUAGES[Path(path).suffix]}\n{text}~~~~~~\n"


def resolved(nav):
    """The navigation; a directory stands for its pages. A page that does not exist is an error."""
    found = []
    for entry in nav:
        (title, value), = entry.items()
        if isinstance(value, list):
            value = resolved(value)
        elif value.endswith("/"):
            value = [page.relative_to(ROOT / DOCS).as_posix() for page in sorted((ROOT / DOCS / value).glob("*.md"))]
        elif not (ROOT / source_of(value)).exists():
            raise PluginError(f"mkdocs.yml: nav: no such page: {value}")
        found.append({title: value})
    return found


def on_config(config):
    config.nav = resolved(config.nav)
    return config


def on_files(files, config):
    todo = [source_of(file.src_uri) for file in files.documentation_pages()]
    todo += [source_of(uri) for entry in config.nav for uri in flat(entry) if uri.startswith(PROJECT)]
    done = set()
    while todo:
        path = todo.pop()
        uri = uri_of(path)
        if uri is None or path in done:
            continue
        done.add(path)
        if uri.startswith(PROJECT):
            files.append(File.generated(config, uri, content=shown(path)))
        if path.endswith(".md") and (ROOT / path).exists():
            todo += targets((ROOT / path).read_text(), path)
    return files


def flat(entry):
    if isinstance(entry, str):
        return [entry]
    return [uri for value in entry.values() for child in (value if isinstance(value, list) else [value]) for uri in flat(child)]


def on_page_markdown(markdown, page, config, files):
    source = source_of(page.file.src_uri)

    def link(token):
        target = token["target"]
        if target is None or re.match(r"[a-z]+:|#", target):
            return token.group()
        path, _, anchor = target.partition("#")
        if not (ROOT / os.path.normpath(os.path.join(os.path.dirname(source), path))).exists():
            raise PluginError(f"{source}: no such file: {target}")
        uri = uri_of(os.path.normpath(os.path.join(os.path.dirname(source), path)))
        if uri is None or files.get_file_from_path(uri) is None:
            return token["text"]
        relative = os.path.relpath(uri, os.path.dirname(page.file.src_uri) or ".")
        return f"{token['mark']}[{token['text']}]({relative}{'#' + anchor if anchor and uri != 'index.md' else ''})"

    if not source.endswith(".md"):
        return markdown
    return LIST_AFTER_TEXT.sub(r"\1\n\n", TOKEN.sub(link, markdown))
