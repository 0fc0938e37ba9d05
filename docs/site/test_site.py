"""The documentation site: it builds, opens from the disk, asks nobody else for anything, and finds words."""
import html.parser
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/vale"))
import prose  # noqa: E402

BROWSER = next(filter(None, map(shutil.which, ["chromium-headless-shell", "chromium"])), None)
ASSETS = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"), ("object", "data"), ("form", "action")}
ELSEWHERE = re.compile(r"(?i)(?:[a-z]+:)?//")


class Assets(html.parser.HTMLParser):
    """Collects the addresses that a browser asks for when it shows a page, and the classes of its elements."""

    def __init__(self, page):
        super().__init__()
        self.addresses, self.classes = [], set()
        self.feed(page.read_text())

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if (tag, name) in ASSETS and value and not value.startswith("data:"):
                self.addresses.append(value)
            if name == "srcset":
                self.addresses += [part.split()[0] for part in value.split(",")]
            if name == "class":
                self.classes |= set((value or "").split())


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        fetched = subprocess.run([ROOT / "scripts/counterparts", "mkdocs"], capture_output=True, text=True)
        if fetched.returncode == prose.NO_PROGRAM or fetched.returncode and prose.NO_NETWORK.search(fetched.stderr):
            raise unittest.SkipTest(f"MkDocs cannot be had, and the site was not built: {fetched.stderr.strip()}")
        if fetched.returncode:
            raise AssertionError(fetched.stderr)
        cls.site = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        built = subprocess.run([ROOT / "scripts/site", cls.site], capture_output=True, text=True)
        if built.returncode:
            raise AssertionError(built.stdout + built.stderr)
        cls.pages = sorted(cls.site.rglob("*.html"))

    def test_it_has_each_page(self):
        names = {page.relative_to(self.site).as_posix() for page in self.pages}
        wanted = {page.relative_to(ROOT / "docs").with_suffix(".html").as_posix().replace("README", "index") for page in (ROOT / "docs").rglob("*.md")}
        self.assertGreater(len(wanted), 25)
        self.assertEqual(set(), wanted - names)

    def test_the_navigation_and_the_first_page_have_each_page(self):
        nav = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
        self.assertEqual(["Tutorials", "How-to", "Reference", "Explanation"], re.findall(r"(?m)^  - ([\w-]+):$", nav))
        pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "decisions"} - {"index.md"}
        self.assertEqual(set(), pages - set(re.findall(r"(?m): (\S+\.md)$", nav)))
        self.assertEqual(set(), pages - set(re.findall(r"\]\((\S+\.md)\)", (ROOT / "docs/index.md").read_text())))

    def test_a_page_asks_nobody_else(self):
        found = [(page.name, address) for page in self.pages for address in Assets(page).addresses if ELSEWHERE.match(address)]
        self.assertEqual([], found)

    def test_a_style_asks_nobody_else(self):
        found = [(style.name, address) for style in self.site.rglob("*.css")
                 for address in re.findall(r"(?:url\(|@import )[\"']?([^)\"';]+)", style.read_text()) if ELSEWHERE.match(address)]
        self.assertEqual([], found)

    def test_no_page_has_what_a_script_would_fetch(self):
        self.assertEqual([], [page.name for page in self.pages if "mermaid" in Assets(page).classes])

    def test_each_asset_is_there(self):
        missing = [(page.name, address) for page in self.pages if page.name != "404.html" for address in Assets(page).addresses
                   if not ELSEWHERE.match(address) and not (page.parent / re.split("[?#]", address)[0]).exists()]
        self.assertEqual([], missing)

    @unittest.skipUnless(BROWSER, "no Chromium here: the search was not tried")
    def test_search_works_from_the_disk(self):
        with tempfile.TemporaryDirectory() as profile:
            shown = subprocess.run([BROWSER, "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--host-resolver-rules=MAP * ~NOTFOUND",
                                    "--virtual-time-budget=10000", "--dump-dom", f"{(self.site / 'index.html').as_uri()}?q=takeover"],
                                   capture_output=True, text=True, timeout=120).stdout
        results = re.findall(r'<a href="([^"]+)"[^>]*class="md-search-result__link"', shown)
        self.assertTrue([link for link in results if "takeover.html" in link], results)


if __name__ == "__main__":
    unittest.main()
