"""Fills the marked blocks of the pages with the published figures, so that no two pages can disagree.

A block stands between the lines <!-- figures:NAME --> and <!-- /figures -->; what is between them is written here and nowhere else.

  ./measure figures fill                        rewrite every block
  ./measure figures check                       exit with 1, and name each block that is stale or missing
  ./measure figures take comparison FILE        replace the comparison with compare.json, then fill
  ./measure figures take footprint FILE         replace the footprint by rate with footprint.json, then fill
  ./measure figures take tls FILE               replace the comparison over TLS with compare-tls.json, then fill
  ./measure figures take h2 FILE                replace the comparison over HTTP/2, gRPC and TCP with compare-h2.json, then fill
  ./measure figures take faults FILE            replace the comparison of faults with compare-faults.json, then fill
  ./measure figures take features FILE          replace what features on each request take with compare.json of ./measure compare --what features, then fill
  ./measure figures take added-cpu FILE         replace the CPU time that a mesh and features add to a request with added-cpu.json, then fill
  ./measure figures take changes FILE           replace the soak of its kind on one image with soak-reload.json or soak-takeover.json, then fill
  ./measure figures take warm-up FILE           replace the first second on one image with that of warm-up.json, then fill
  ./measure figures take storms FILE            replace the storms, or the bursts, on each proxy and limit of storm.json, then fill
  ./measure figures take conformance FILE       replace the verdict on one image with that of report.json, then fill

A run of tls, h2 or added-cpu with --busy does not replace the figures. Its bars become a column next to those of the last run without a competing load.

Exit status: 0, 1 for a stale page, 64 for a wrong argument, 65 for a measurement that cannot be published.
"""
import json
import re
import sys
from pathlib import Path

from blocks import BUSY, Blocks
from results import TAKERS, NotPublishable

ROOT = Path(__file__).resolve().parents[2]
DATA = "docs/figures/figures.json"
# Measurements whose runs with a competing load are published in a column of their own.
WITH_BUSY_RUNS = ("tls", "h2", "added-cpu")
PEAKS = "jvm-profiles/peaks"
BEGIN, END = re.compile(r"<!-- figures:([\w-]+) -->"), "<!-- /figures -->"

# Which pages have which blocks: a page that loses one is as wrong as one whose figures are old.
PAGES = {
    "README.md": ("why", "images"),
    "docs/images.md": ("profiles",),
    "docs/measurements/conformance.md": ("conformance",),
    "docs/conformance-test.md": ("conformance-options", "conformance-statuses", "programs"),
    "docs/measurements/comparison.md": (
        "comparison-run", "comparison-notes", "comparison", "comparison-to-envoy-in-short", "comparison-memory", "comparison-latency", "comparison-to-envoy",
        "comparison-to-haproxy", "comparison-host", "tls-run", "tls-bars", "tls-memory", "tls-connections", "h2-run", "h2-bars", "h2-memory", "h2-latency",
        "h2-others", "faults-run", "faults", "faults-bars", "storms-run", "storms", "storms-missed", "bursts-run", "bursts", "features-run", "features-bars",
        "changes", "warm-up", "comparison-versions"),
    "docs/measurements/footprint.md": ("footprint-run", "footprint-notes", "road", "footprint-memory", "footprint-cpu", "footprint-p99", "footprint-p999"),
    "docs/measurements/bars.md": ("comparison-run", "bars", "added-cpu"),
}


class BadPage(Exception):
    """A page whose blocks cannot be told apart."""


def read_peaks(root):
    rows = []
    for line in (root / PEAKS).read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            image, profile, rps, peak = line.split()
            rows.append((image, profile, int(rps), int(peak)))
    return rows


def filled(page, blocks):
    """The page with every block rewritten, and the names of its blocks."""
    lines, names, inside = [], [], None
    for line in page.splitlines():
        if begin := BEGIN.fullmatch(line):
            inside = begin[1]
            if not any(inside in known for known in PAGES.values()):
                raise BadPage(f"there is no block {inside}")
            names.append(inside)
            written = blocks.named(inside)
            # Empty lines around it, since Markdown takes what directly follows a comment for HTML.
            lines += [line, "", written, ""] if written else [line]
        elif line == END and inside:
            inside = None
        if not inside:
            lines.append(line)
    if inside:
        raise BadPage(f"the block {inside} has no end")
    return "\n".join(lines) + "\n", names


def pages(root):
    """The path, the present and the filled text, and the names of the blocks of every page."""
    blocks = Blocks(json.loads((root / DATA).read_text()), read_peaks(root))
    for path in PAGES:
        page = (root / path).read_text()
        yield path, page, *filled(page, blocks)


def problems(root):
    found = []
    for path, page, wanted, names in pages(root):
        found += [f"{path}: the block figures:{name} is missing" for name in PAGES[path] if name not in names]
        if page != wanted:
            found.append(f"{path}: its figures are not those of {DATA} and {PEAKS}; ./measure figures fill writes them")
    return found


def fill(root):
    for path, page, wanted, _ in pages(root):
        if page != wanted:
            (root / path).write_text(wanted)
            print(f"wrote {path}")


def as_json(data):
    """Indented, with each spread on one line."""
    number = r"\s+(-?[\d.e+-]+)"
    return re.sub(rf"\[{number},{number},{number}\s+\]", r"[\1, \2, \3]", json.dumps(data, indent=1)) + "\n"


def take(root, kind, file):
    data, told = json.loads((root / DATA).read_text()), json.loads(Path(file).read_text())
    if told.get("options", {}).get("busy"):
        if kind not in WITH_BUSY_RUNS:
            raise NotPublishable("it was measured next to a competing load")
        if kind not in data:
            raise NotPublishable("there is no run without a competing load yet")
        data.setdefault(BUSY, {})[kind] = TAKERS[kind](told, None)
    else:
        data[kind] = TAKERS[kind](told, data.get(kind))
    (root / DATA).write_text(as_json(data))
    fill(root)


def main(words, root=ROOT):
    try:
        if words == ["fill"]:
            fill(root)
        elif words == ["check"]:
            return check(root)
        elif len(words) == 3 and words[0] == "take" and words[1] in TAKERS:
            take(root, *words[1:])
        elif words in (["--help"], ["-h"]):
            print(__doc__)
        else:
            print(__doc__, file=sys.stderr)
            return 64
    except NotPublishable as trouble:
        print(f"figures: {words[2]} is not published: {trouble}", file=sys.stderr)
        return 65
    except BadPage as trouble:
        print(f"figures: {trouble}", file=sys.stderr)
        return 1
    return 0


def check(root):
    found = problems(root)
    for problem in found:
        print(f"figures: {problem}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
