"""Draw the pictures of tests/images anew: ``python tests/plots/make_images.py [name ...]``."""

from __future__ import annotations

import sys

import numpy as np
from PIL import Image


def main(names: list[str]) -> None:
    # From this folder, as a script: site-packages may have a `tests` of its own.
    from pictures import FOLDER, cases, render

    FOLDER.mkdir(exist_ok=True)
    for name in names or list(cases()):
        path = FOLDER / f"{name}.png"
        drawn = Image.fromarray(render(*cases()[name]).astype(np.uint8))
        drawn.save(path, optimize=True)
        print(f"{path.name}: {path.stat().st_size / 1000:.1f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
