"""Copies of the pages and of the published figures, for tests."""
import contextlib
import io
import json
import shutil
import tempfile
import unittest
from pathlib import Path

import figures

FILES = (*figures.PAGES, figures.DATA, figures.PEAKS)


def spread(median, low, high):
    return {"median": median, "low": low, "high": high}


class Copy(unittest.TestCase):
    """The pages and the data in a directory of their own."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        for file in FILES:
            (self.root / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(figures.ROOT / file, self.root / file)

    def forget(self, *kinds):
        """Removes the published rows of these kinds: this checkout's own rows widen columns, and stand next to a test's."""
        data = self.data()
        for kind in kinds:
            data.pop(kind, None)
        (self.root / figures.DATA).write_text(figures.as_json(data))

    def run_it(self, *words):
        """The exit status, and what was written to standard error."""
        with contextlib.redirect_stderr(io.StringIO()) as told, contextlib.redirect_stdout(io.StringIO()):
            status = figures.main(list(map(str, words)), self.root)
        return status, told.getvalue()

    def page(self, path):
        return (self.root / path).read_text()

    def data(self):
        return json.loads(self.page(figures.DATA))

    def change(self, path, old, new):
        text = self.page(path)
        self.assertIn(old, text)
        (self.root / path).write_text(text.replace(old, new))

    def measurement(self, told):
        file = self.root / "measurement.json"
        file.write_text(json.dumps(told))
        return file

    def take(self, kind, told):
        status, text = self.run_it("take", kind, self.measurement(told))
        return status if status else self.page("docs/measurements/comparison.md")
