"""Where the bundled models are. Light, for ``--help`` and the tab key."""

from __future__ import annotations

from pathlib import Path


def bundled_model_files_folder() -> Path:
    """Return the folder of the bundled models: in the wheel, or beside the package in a clone."""
    package = Path(__file__).resolve().parent
    inside = package / "_models"
    return inside if inside.is_dir() else package.parent / "models"


def bundled() -> dict[str, Path]:
    """Return the bundled models by name."""
    folder = bundled_model_files_folder()
    return {path.stem: path for path in sorted(folder.glob("*.py")) if path.stem[0] != "_"}
