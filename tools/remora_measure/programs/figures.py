"""Works on the published figures: docs/figures/figures.py explains its words."""
import runpy
import sys

from ..repository import REPOSITORY

FIGURES = REPOSITORY / "docs/figures"

if __name__ == "__main__":
    sys.path.insert(0, str(FIGURES))
    runpy.run_path(str(FIGURES / "figures.py"), run_name="__main__")
