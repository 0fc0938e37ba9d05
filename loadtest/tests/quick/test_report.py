"""The report of a conformance test: a page that stands alone, tells everything, and tells what is missing."""
import copy
import json
import os
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

from remora_measure.conformance import report
from remora_measure.conformance.row_texts import number

from ..example_result import example

HOSTILE = "</pre></style><script>alert(1)</script>\"'><img src=http://example.org/x onerror=alert(2)>&amp;"
EMPTY_ELEMENTS = {"meta", "link", "img", "br"}


class Page(HTMLParser):
    """A page as a browser takes it apart: tags, attributes, text by the element it is in, and whether all elements end in order."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.open, self.wrong, self.texts = [], [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag not in EMPTY_ELEMENTS:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else "", data))

    def of(self, *tags):
        return [data for tag, data in self.texts if tag in tags]

    def text(self):
        return "\n".join(data for tag, data in self.texts if tag != "style")

    def links(self):
        return [value for name, value in self.attributes if name in ("href", "src", "xlink:href")]


class Reports(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.directory = Path(work.name)

    def write(self, result):
        report.write(result, self.directory)
        self.html = (self.directory / "report.html").read_text()
        page = Page(self.html)
        self.assertEqual((page.wrong, page.open), ([], []))
        return page

    def without_java(self):
        """Without pictures, which take a JVM's start each."""
        before = os.environ.get("JAVA_HOME")
        self.addCleanup(lambda: os.environ.pop("JAVA_HOME") if before is None else os.environ.update(JAVA_HOME=before))
        os.environ["JAVA_HOME"] = str(self.directory / "no-jdk")


class WholeReport(Reports):
    def test_it_stands_alone_and_tells_everything(self):
        result = example()
        page = self.write(result)
        self.assertEqual(page.of("h1"), ["pass"])
        self.assertEqual(page.tags.count("svg"), 9)
        self.assertEqual(len(list(self.directory.glob("charts/*.png"))), 9)
        ids = [value for name, value in page.attributes if name == "id"]
        self.assertEqual(len(ids), len(set(ids)))
        self.stands_alone(page)
        self.tells_everything(page, result)

    def stands_alone(self, page):
        self.assertFalse({"script", "link", "iframe", "object", "img"} & set(page.tags))
        self.assertNotIn("@import", self.html)
        self.assertFalse([value for name, value in page.attributes if name.startswith("on")])
        self.assertEqual(page.links(), ["./gatling/run-1/index.html", "./probe.hlog", "./a%20name.hlog"])
        self.assertNotRegex(self.html, r"url\((?!#)")
        self.assertIn("prefers-color-scheme: dark", self.html)

    def tells_everything(self, page, result):
        text = page.text()
        for row in result["rows"]:
            self.assertIn(row["name"], page.of("th"))
        for told in ("0.3142 ms", "<= 1 ms", ">= 2,000 rps", "= 1,000 rps", "34 MB", "<= 17.4 MB", "version 1", "dropped", "its own 0.314, on the wire missing",
                     "sha256:0123", "12345", "-Xmx8m\n-XX:+UseSerialGC", "listeners:\n  - name: inbound\n", "Some CPU",
                     *result["reasons"]):
            self.assertIn(told, text)
        self.assertEqual(json.loads((self.directory / "report.json").read_text()), result)


class PartialReport(Reports):
    def setUp(self):
        super().setUp()
        self.without_java()

    def test_without_pictures_the_figures_are_there_and_the_reason_is(self):
        page = self.write(example())
        self.assertNotIn("svg", page.tags)
        self.assertIn("no-jdk/bin/java", page.text())
        self.assertIn("peak RSS", page.of("th"))

    def test_a_missing_figure_is_told_as_missing(self):
        page = self.write(example())
        self.assertIn("missing", page.of("span"))

    def test_hostile_text_stays_text(self):
        result = spoiled(example(), HOSTILE)
        page = self.write(result)
        self.assertFalse({"script", "img"} & set(page.tags))
        self.assertIn(HOSTILE, page.of("pre"))
        self.assertIn(HOSTILE, page.of("li"))
        for link in page.links():
            self.assertRegex(link, r"^\./[^:]*$")

    def test_without_a_cgroup_it_says_so(self):
        self.assertIn("none of its own", self.write({**example(), "memory": {"cgroup": None, "swap": "on", "caches": "as they were"}}).text())

    def test_links_lead_nowhere_else(self):
        result = example()
        result["generator"]["report"] = "javascript:alert(1)"
        result["files"] = {"a": "//example.org/x", "b": "https://example.org/y"}
        self.assertEqual(self.write(result).links(), ["./javascript%3Aalert%281%29", "./example.org/x", "./https%3A//example.org/y"])

    def test_any_part_may_be_missing_or_null(self):
        whole = example()
        for path in paths(whole):
            for change in (remove, set_null):
                result = copy.deepcopy(whole)
                change(result, path)
                with self.subTest(path=path, change=change.__name__):
                    self.write(result)
                    report.table(result)

    def test_nothing_at_all_is_a_page_too(self):
        for result in ({}, {key: None for key in example()}):
            page = self.write(result)
            self.assertEqual(page.of("h1"), ["missing"])
            self.assertIn("figures: missing", page.text())

    def test_the_files_that_are_there_are_linked_unless_it_says_which(self):
        (self.directory / "sidecar.hlog").write_text("")
        self.assertIn("./sidecar.hlog", self.write({**example(), "files": None}).links())

    def test_it_says_where_the_scale_leaves_something_out(self):
        result = example()
        self.assertNotIn("leaves out", self.write(result).text())
        result["latency"]["added"]["curve"][3][1] = -5.0
        self.assertIn("leaves out", self.write(result).text())


class Table(unittest.TestCase):
    def test_columns_are_aligned(self):
        lines = report.table(example()).splitlines()
        self.assertEqual(len(lines), 10)
        self.assertEqual(lines[0].split(), ["figure", "measured", "bar", "result"])
        at = lines[0].index("result")
        self.assertEqual([line[at:].split()[0] for line in lines[1:]], ["pass"] * 2 + ["reported"] + ["pass"] * 4 + ["reported", "missing"])
        end = lines[0].index("measured") + len("measured")
        self.assertTrue(all(line[end:end + 2] == "  " and line[end - 1] != " " for line in lines[1:]))
        self.assertRegex(lines[1], r"^time in the proxy, p99 +0\.3142 ms  <= 1 ms +pass +its own 0\.314")

    def test_a_line_break_in_a_name_makes_no_line(self):
        self.assertEqual(len(report.table({"rows": [{"name": "a\nb", "value": "x\r\ny", "note": "\x1b\n"}]}).splitlines()), 2)

    def test_without_rows_there_are_the_headings(self):
        for result in ({}, {"rows": None}, {"rows": []}):
            self.assertEqual(report.table(result).split(), ["figure", "measured", "bar", "result"])

    def test_numbers(self):
        for value, text in ((0, "0"), (0.0, "0"), (12_345, "12,345"), (12_345.6, "12,346"), (0.31415926, "0.3142"),
                            (115.0, "115"), (-18.984, "-18.98"), (100.0, "100"), (1e-9, "0"), (-1e-9, "0"),
                            (float("inf"), "inf"), (float("nan"), "nan"), (True, "True"), ("text", "text")):
            self.assertEqual(number(value), text)


def paths(value, path=()):
    """The way to each key below a value, lists by their first element."""
    children = value.items() if isinstance(value, dict) else [(0, value[0])] if isinstance(value, list) and value else []
    for key, child in children:
        yield (*path, key)
        yield from paths(child, (*path, key))


def parent(result, path):
    for key in path[:-1]:
        result = result[key]
    return result


def remove(result, path):
    del parent(result, path)[path[-1]]


def set_null(result, path):
    parent(result, path)[path[-1]] = None


def spoiled(value, text):
    """With another text instead of every text."""
    if isinstance(value, dict):
        return {key: spoiled(child, text) for key, child in value.items()}
    if isinstance(value, list):
        return [spoiled(child, text) for child in value]
    return text if isinstance(value, str) else value
