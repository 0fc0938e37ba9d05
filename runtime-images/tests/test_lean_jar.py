"""What of an application's jars goes into an image: the classes that something names, and no others."""
import collections
import re
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
ANNOTATED = {
    "package-info": "@Deprecated package p;",
    "Seen": "package p; import java.lang.annotation.*;"
            " @Retention(RetentionPolicy.RUNTIME) @Target({ElementType.TYPE, ElementType.TYPE_USE}) @interface Seen {}",
    "Unseen": "package p; import java.lang.annotation.*;"
              " @Target({ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE_USE}) @interface Unseen {}",
    "Annotated": "package p; import java.util.List; @Seen abstract class Annotated implements List<String> { @Seen List<String> field;"
                 " /** @deprecated */ @Deprecated @Unseen Object take(@Unseen List<String> of) { List<String> local = of; return local; } }",
}


class LeanJarTest(unittest.TestCase):
    def test_leaves_out_what_nothing_names(self):
        with tempfile.TemporaryDirectory() as work:
            base = Path(work)
            self.make(base)
            subprocess.run(["java", "-cp", base / "tools", "LeanJar", base / "jars", base / "out", "own.jar", "lib.jar"], check=True)
            self.assertEqual(self.names(base / "out/own.jar"), {"p/Begin.class", "p/Spare.class"})
            self.assertEqual(self.names(base / "out/lib.jar"),
                             {"p/Typed.class", "p/Onward.class", "p/ByText.class", "p/Described.class", "p/Behind.class", "notes.txt", "schema.json",
                              "io/remora/webhook/note", "io/remora/compilelog/note", "io/remora/admin/dashboard.css", "io/remora/injected"})

    def test_leaves_out_a_package_that_the_image_has_no_use_for(self):
        with tempfile.TemporaryDirectory() as work:
            base = Path(work)
            self.make(base)
            subprocess.run(["java", "-cp", base / "tools", "LeanJar", base / "jars", base / "out", "--without", "io/remora/webhook/", "own.jar", "lib.jar"],
                           check=True)
            self.assertIn("io/remora/compilelog/note", self.names(base / "out/lib.jar"))
            self.assertNotIn("io/remora/webhook/note", self.names(base / "out/lib.jar"))
            subprocess.run(["java", "-cp", base / "tools", "LeanJar", base / "jars", base / "out", "--without", "p/Typed", "own.jar", "lib.jar"], check=True)
            # with what only it names
            self.assertFalse({"p/Typed.class", "p/Onward.class"} & self.names(base / "out/lib.jar"))
            self.assertIn("p/Begin.class", self.names(base / "out/own.jar"))

    def test_compresses_what_no_running_sidecar_reads(self):
        with tempfile.TemporaryDirectory() as work:
            base = Path(work)
            self.make(base)
            subprocess.run(["java", "-cp", base / "tools", "LeanJar", base / "jars", base / "out", "own.jar", "lib.jar"], check=True)
            with zipfile.ZipFile(base / "out/lib.jar") as jar:
                methods = {entry.filename: entry.compress_type for entry in jar.infolist()}
                unread = {"schema.json", "io/remora/webhook/note", "io/remora/compilelog/note", "io/remora/admin/dashboard.css"}
                self.assertEqual({methods[name] for name in unread}, {zipfile.ZIP_DEFLATED})
                self.assertEqual({method for name, method in methods.items() if name not in unread}, {zipfile.ZIP_STORED})
                self.assertEqual(jar.read("schema.json"), b"{}" * 1000)

    def test_drops_the_line_numbers_of_libraries(self):
        with tempfile.TemporaryDirectory() as work:
            base = Path(work)
            self.make(base)
            self.assertIn("LineNumberTable", self.attributes(base / "jars/lib.jar", "p.Typed"))
            subprocess.run(["java", "-cp", base / "tools", "LeanJar", base / "jars", base / "out", "own.jar", "lib.jar"], check=True)
            self.assertNotIn("LineNumberTable", self.attributes(base / "out/lib.jar", "p.Typed"))
            self.assertIn("LineNumberTable", self.attributes(base / "out/own.jar", "p.Begin"))

    def test_keeps_all_of_an_engine_and_what_it_names(self):
        with tempfile.TemporaryDirectory() as work:
            base = Path(work)
            self.make(base)
            subprocess.run(["java", "-cp", base / "tools", "LeanJar", base / "jars", base / "out", "none.jar", "lib.jar", "--whole", "engine.jar"],
                           check=True)
            self.assertEqual(self.names(base / "out/engine.jar"), {"p/Begin.class", "p/Spare.class"})
            self.assertIn("p/ByText.class", self.names(base / "out/lib.jar"))
            self.assertNotIn("p/Unnamed.class", self.names(base / "out/lib.jar"))

    def test_drops_what_only_compilers_and_debuggers_read(self):
        dropped = {"LocalVariableTable", "LocalVariableTypeTable", "RuntimeVisibleTypeAnnotations", "RuntimeInvisibleTypeAnnotations",
                   "RuntimeInvisibleAnnotations", "RuntimeInvisibleParameterAnnotations", "Deprecated"}
        kept = {"Code", "LineNumberTable", "RuntimeVisibleAnnotations", "SourceFile"}
        with tempfile.TemporaryDirectory() as work:
            base = Path(work)
            self.make(base)
            before = self.attributes(base / "jars/annotated.jar")
            self.assertLessEqual(dropped | kept, before.keys())
            # a class that extends List<String>, a field and a method
            self.assertEqual(before["Signature"], 3)
            for more, signatures in ((), 1), (("--whole", "engine.jar"), 3):
                subprocess.run(["java", "-cp", base / "tools", "LeanJar", base / "jars", base / "out", "annotated.jar", *more], check=True)
                after = self.attributes(base / "out/annotated.jar")
                self.assertEqual(after.keys() & (dropped | kept), kept)
                self.assertEqual(after["Signature"], signatures)
                self.assertEqual(self.names(base / "out/annotated.jar"), {f"p/{name}.class" for name in ("Annotated", "Seen", "Unseen")})

    def make(self, base: Path) -> None:
        for folder in ("tools", "source/p", "annotated", "classes", "jars", "out"):
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
                    made.writestr("schema.json", "{}" * 1000)
                    made.writestr("io/remora/webhook/note", "as a class of the injection")
                    made.writestr("io/remora/compilelog/note", "as a class of the command")
                    made.writestr("io/remora/admin/dashboard.css", "of a page that few open")
                    made.writestr("io/remora/injected", "of another package")
                    made.writestr("META-INF/maven/pom.xml", "left out")
        for name, source in ANNOTATED.items():
            (base / f"annotated/{name}.java").write_text(source)
        subprocess.run(["javac", "-g", "-d", base / "annotated", *(base / "annotated").glob("*.java")], check=True)
        with zipfile.ZipFile(base / "jars/annotated.jar", "w") as made:
            for file in (base / "annotated/p").iterdir():
                made.write(file, f"p/{file.name}")
        # of an engine that has the same classes, and of an application without any
        shutil.copy(base / "jars/own.jar", base / "jars/engine.jar")
        zipfile.ZipFile(base / "jars/none.jar", "w").close()

    @staticmethod
    def attributes(jar: Path, name: str = "p.Annotated") -> dict[str, int]:
        """How often each attribute stands in a class and in its members."""
        told = subprocess.run(["javap", "-v", "-p", "-cp", jar, name], check=True, capture_output=True, text=True).stdout
        return collections.Counter(re.findall(r"^\s*(\w+): ?", told, re.MULTILINE))

    @staticmethod
    def names(jar: Path) -> set[str]:
        with zipfile.ZipFile(jar) as there:
            return set(there.namelist())


if __name__ == "__main__":
    unittest.main()
