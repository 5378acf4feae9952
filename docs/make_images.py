"""Draw the README's pictures anew: ``.venv/bin/python docs/make_images.py``."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import bayescompare as bc

FOLDER = Path(__file__).parent / "images"


def save(ax, name: str) -> None:
    ax.figure.savefig(FOLDER / name, dpi=110, bbox_inches="tight")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    save(bc.compare(bc.load_example("benavoli-example1")).plot(), "statements.png")
    pairs = bc.pairwise(bc.load_example("jansen-uci"))
    save(pairs.plot("dominance"), "dominance.png")
