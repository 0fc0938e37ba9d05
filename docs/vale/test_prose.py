"""What scripts/prose takes from the sources, and what the style finds."""
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import prose

JAVA = '''
/**
 * Token buckets, one per {@link Key}. A second sentence.
 * @param <K> the key
 */
final class Buckets {
    /** {@code 1.5} seconds, by {@link Clock#now the clock}. */
    private final long left;

    /** @return nothing */
    void run() {
        Log.warn("cluster " + name + ": \\"gone\\"; keeping endpoints=" + count);
        Log.info(text);
    }
}
'''


class Extraction(unittest.TestCase):
    def test_a_doc_comment_gives_its_first_sentence(self):
        self.assertEqual([(2, "Token buckets, one per `Key`."), (7, "`1.5` seconds, by the clock.")], list(prose.doc_comments(JAVA)))

    def test_a_log_line_has_a_name_for_each_value(self):
        self.assertEqual([(12, 'cluster NAME: "gone"; keeping endpoints=')], list(prose.log_lines(JAVA)))

    def test_the_sources_have_both(self):
        comments, logs = prose.java()
        self.assertGreater(len(comments.sentences), 2000)
        self.assertGreater(len(logs.sentences), 50)

    def test_a_block_of_hash_comments_gives_its_first_sentence(self):
        text = "#!/bin/sh\n# Builds an image,\n# or two. More.\nx=1 # not this\n  # evidence: Xmx\n  # Heap of the process.\n"
        self.assertEqual([(2, "Builds an image, or two."), (5, "Heap of the process.")], list(prose.hash_comments(text)))

    def test_scripts_have_comments(self):
        self.assertGreater(len(prose.scripts().sentences), 500)

    def test_a_sentence_is_counted_without_code_and_tables(self):
        text = "# A heading\nOne two `three`. Four\n[five](x.md) six.\n\n    code\n\n| a | b |\n|---|---|\n- seven\n"
        self.assertEqual(["One two `three`.", "Four five six.", "seven"], prose.sentences(text))


class Gate(unittest.TestCase):
    def test_pages_that_are_left_out_exist_and_are_named_once(self):
        left_out = prose.unclean()
        self.assertEqual(sorted(set(left_out)), sorted(left_out))
        self.assertEqual(set(), set(left_out) - set(prose.pages()))


    def test_it_checks_sources_as_well(self):
        self.assertEqual(["make-help.md", "script-comments.md", "doc-comments.md", "log-lines.md"], [extract.name for extract in prose.extracts()])


class Style(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        built = subprocess.run([prose.ROOT / "scripts/counterparts", "vale"], capture_output=True, text=True)
        if built.returncode:
            raise unittest.SkipTest("Vale is not here")
        cls.vale = built.stdout.strip()

    def found(self, text):
        with tempfile.TemporaryDirectory() as directory:
            page = Path(directory) / "page.md"
            page.write_text(text)
            return [rule for _, rule, _ in self.findings(page)]

    def findings(self, page):
        extract = prose.Extract(page.name)
        extract.places, extract.sentences = ["here"] * 99, [page.read_text()]
        return prose.findings(self.vale, [], [extract])

    def test_each_rule_finds_what_it_is_for(self):
        for rule, text in {
            "Words": "The client is told of it.",
            "Terms": "The upstream answers.",
            "Openings": "The sidecar answers. What it sends is short.",
            "Sentences": "word " * 26 + "end.",
            "Headings": "# How it works",
        }.items():
            self.assertEqual([rule], self.found(text), rule)

    def test_plain_sentences_pass(self):
        self.assertEqual([], self.found("# Memory limits\n\nThe sidecar closes idle connections. " + "word " * 24 + "end.\n\n    is told anew\n\n`beside` is code."))


if __name__ == "__main__":
    unittest.main()
