"""The page of models shows every file there is."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_every_model_is_on_the_page() -> None:
    page = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    for path in sorted((ROOT / "models").glob("*.py")):
        assert f"{{literalinclude}} ../models/{path.name}" in page
        text = path.read_text(encoding="utf-8")
        assert "in three lines::" in text, path.name
        assert "Reference" in text, path.name
