"""Reading the output of tlsfuzzer's scripts, as the program in proxy/native/tls/test does it."""
import importlib.util
import unittest

from remora_measure.repository import REPOSITORY

PROGRAM = REPOSITORY / "proxy/native/tls/test/tlsfuzzer.py"
TRACEBACK = "Error while processing\nTraceback (most recent call last):\n  File \"runner.py\", line 227, in run\n    fails()\n"


def load():
    found = importlib.util.spec_from_file_location("tlsfuzzer_runs", PROGRAM)
    program = importlib.util.module_from_spec(found)
    found.loader.exec_module(program)
    return program


def output(middle: str, failed: int = 0, expected: int = 0, passed: int = 0) -> str:
    """Of a script of three conversations, of which the one in the middle is not well."""
    return (f"sanity ...\nOK\n\nmiddle ...\n{middle}\nsanity ...\nOK\n\nSome words ...\nTest end\n====\nversion: 3\n====\n"
            f"TOTAL: 3\nSKIP: 0\nPASS: 2\nXFAIL: {expected}\nFAIL: {failed}\nXPASS: {passed}\n====\nFAILED:\n\t'middle'\n")


class Output(unittest.TestCase):
    program = load()

    def test_an_exception_of_any_name_is_a_failure(self):
        for last, told in (("AssertionError: Unexpected message: x", "Unexpected message: x"), ("tlslite.errors.TLSBadRecordMAC", "tlslite.errors.TLSBadRecordMAC"),
                           ("tlslite.errors.TLSRecordOverflow: too long", "too long"), ("socket.timeout: timed out", "timed out")):
            self.assertEqual((3, [f"middle: {told}"]), self.program.result_of(output(f"{TRACEBACK}{last}\n", failed=1)))

    def test_the_last_exception_of_a_chain_is_the_failure(self):
        chain = f"{TRACEBACK}tlslite.errors.TLSAbruptCloseError: x\n\nDuring handling of the above exception, another exception occurred:\n\n{TRACEBACK}AssertionError: Unexpected closure\n"
        self.assertEqual((3, ["middle: Unexpected closure"]), self.program.result_of(output(chain, failed=1)))

    def test_what_a_script_expects_to_fail_is_for_the_list_of_what_is_known(self):
        self.assertEqual((3, ["middle: x"]), self.program.result_of(output(f"{TRACEBACK}AssertionError: x\n\nOK-expected failure\n", expected=1)))
        self.assertEqual((3, ["middle: expected to fail, and passed"]), self.program.result_of(output("XPASS-expected failure but test passed\n", passed=1)))

    def test_other_counts_than_those_of_the_script_are_no_result(self):
        self.assertEqual((3, []), self.program.result_of(output("OK\n")))
        for text in (output("OK\n", failed=1), output(f"{TRACEBACK}AssertionError: x\n"), output(f"{TRACEBACK}AssertionError: x\n", failed=2), "TOTAL: 3\n", ""):
            self.assertIsNone(self.program.result_of(text))
