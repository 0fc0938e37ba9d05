"""What of an application's jars goes into an image: the classes that something names, and no others."""
import shutil
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path

TOOLS = Path(__file__).parent.parent / "tools"
SOURCES = {
    "Begin": "public class Begin { Typed typed; Object loaded() throws Exception { return Class.forName(\"p.ByText\"); }"
             " static void take(Described[] many, int number, Behind other) {} }",
    "Typed": "public class Typed { Object next() { return new Onward(); } }",
    "Onward": "public class Onward {}",
    "ByText": "public class ByText {}",
    "Described": "public class Described {}",
    "Behind": "public class Behind {}",
    "Unnamed": "public class Unnamed { Unnamed2 other; }",
    "Unnamed2": "public class Unnamed2 { Unnamed other; }",
    "Spare": "public class Spare {}",
}
OWN = ("Begin", "Spare")


class LeanJarTest(unittest.TestCase):
    def test_leaves_out_what_nothing_names(self):
        with tempfile.TemporaryDirectory() as work:
            base = Path(work)
            self.make(base)
            subprocess.run(["java", "-cp", base / "tools", "LeanJar", base / "jars", base / "out", "own.jar", "lib.jar"], check=True)
            self.assertEqual(self.names(base / "out/own.jar"), {"p/Begin.class", "p/Spare.class"})
            self.assertEqual(self.names(base / "out/lib.jar"),
                             {"p/Typed.class", "p/Onward.class", "p/ByText.class", "p/Described.class", "p/Behind.class", "notes.txt"})

    def test_keeps_all_of_an_engine_and_what_it_names(self):
        with tempfile.TemporaryDirectory() as work:
            base = Path(work)
            self.make(base)
            subprocess.run(["java", "-cp", base / "tools", "LeanJar", base / "jars", base / "out", "none.jar", "lib.jar", "--whole", "engine.jar"],
                           check=True)
            self.assertEqual(self.names(base / "out/engine.jar"), {"p/Begin.class", "p/Spare.class"})
            self.assertIn("p/ByText.class", self.names(base / "out/lib.jar"))
            self.assertNotIn("p/Unnamed.class", self.names(base / "out/lib.jar"))

    def make(self, base: Path) -> None:
        for folder in ("tools", "source/p", "classes", "jars", "out"):
            (base / folder).mkdir(parents=True)
        subprocess.run(["javac", "-d", base / "tools", *(TOOLS / f"{name}.java" for name in ("LeanJar", "LeanClass", "Reachable"))], check=True)
        for name, source in SOURCES.items():
            (base / f"source/p/{name}.java").write_text(f"package p;\n{source}\n")
        subprocess.run(["javac", "-d", base / "classes", *(base / "source/p").iterdir()], check=True)
        for jar, is_own in (("own.jar", True), ("lib.jar", False)):
            with zipfile.ZipFile(base / "jars" / jar, "w") as made:
                for name in SOURCES:
                    if (name in OWN) == is_own:
                        made.write(base / f"classes/p/{name}.class", f"p/{name}.class")
                if not is_own:
                    made.writestr("notes.txt", "kept")
                    made.writestr("META-INF/maven/pom.xml", "left out")
        # of an engine that has the same classes, and of an application without any
        shutil.copy(base / "jars/own.jar", base / "jars/engine.jar")
        zipfile.ZipFile(base / "jars/none.jar", "w").close()

    @staticmethod
    def names(jar: Path) -> set[str]:
        with zipfile.ZipFile(jar) as there:
            return set(there.namelist())


if __name__ == "__main__":
    unittest.main()
