"""The layers of the package, as its map has them: a part uses only itself and what stands above it there."""
import ast
import re
import unittest
from pathlib import Path

import remora_measure

PACKAGE = Path(remora_measure.__file__).parent


def layers():
    """{part: number of its line in the map}."""
    lines = re.findall(r"(?m)^- ([\w, ]+):", remora_measure.__doc__)
    return {part: number for number, line in enumerate(lines) for part in line.split(", ")}


def used_parts(file):
    """The parts that a module imports from; the dots of an import count from the module's own place."""
    depth = len(file.relative_to(PACKAGE).parts)
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == depth:
            yield from [node.module.split(".")[0]] if node.module else [name.name for name in node.names]


class Layers(unittest.TestCase):
    def test_every_part_stands_in_the_map(self):
        parts = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
        self.assertEqual(parts - {"__init__"}, set(layers()))

    def test_no_part_uses_one_that_stands_below_it(self):
        known = layers()
        for file in PACKAGE.rglob("*.py"):
            own = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
            for used in used_parts(file):
                self.assertLessEqual(known[used], known[own] if own != "__init__" else -1, f"{file.relative_to(PACKAGE)} uses {used}")


if __name__ == "__main__":
    unittest.main()
