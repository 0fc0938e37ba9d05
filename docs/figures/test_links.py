"""Links of the pages: each leads to a file of this repository, and to a heading or an anchor that is there."""
import re
import subprocess
import unittest
from pathlib import Path

import figures

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"(?m)^#{1,6} +(.+?) *$")
ANCHOR = re.compile(r'<a id="([^"]+)">')
CODE = re.compile(r"(?ms)^```.*?^```|`[^`\n]*`")


def pages(root):
    told = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"], cwd=root, capture_output=True, text=True, check=True)
    return [root / name for name in told.stdout.split("\0") if name and (root / name).exists()]


def anchors(text):
    """The names of the headings, as GitHub makes them, and the anchors."""
    names = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text)}
    return names | set(ANCHOR.findall(text))


def broken(page):
    found = []
    for link in LINK.findall(CODE.sub("", page.read_text())):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            found.append(f"{page}: {link} leads to no file")
        elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text()):
            found.append(f"{page}: {link} leads to no heading")
    return found


class Links(unittest.TestCase):
    def test_each_leads_somewhere(self):
        found = pages(figures.ROOT)
        self.assertGreater(len(found), 20)
        self.assertEqual([], [problem for page in found for problem in broken(page)])


if __name__ == "__main__":
    unittest.main()
