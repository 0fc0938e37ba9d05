"""Processes the published figures. See docs/figures/figures.py for its commands."""
import runpy
import sys

from ..repository import REPOSITORY

FIGURES = REPOSITORY / "docs/figures"

if __name__ == "__main__":
    sys.path.insert(0, str(FIGURES))
    runpy.run_path(str(FIGURES / "figures.py"), run_name="__main__")
