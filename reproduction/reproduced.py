"""The result of `reproduce`: a table, words, JSON and a picture of one reproduction."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from bayescompare._version import __version__
from bayescompare.table.writing import check_file_is_writable, write_text
from bayescompare.text.numbers import setting_number_text, whole_number_text
from reproduction.outcome import AGREE, TELLING, Outcome, Reproduction, figures_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

__all__ = ["Reproduced"]

_SCHEMA, _VERSION = "bayescompare/reproduction", 1

_HOLDS = {True: "Holds here", False: "Does not hold here", None: "Cannot be told here"}


@dataclass(frozen=True, eq=False, kw_only=True)
class Reproduced:
    """A table or figure of a paper, computed again.

    Attributes
    ----------
    reproduction : Reproduction
        What was reproduced.
    outcome : Outcome
    replications : int
    seed : int
    cpu_seconds : float
        CPU time of this process; NaN where other processes worked too, or an earlier run had
        stored a part of it.
    """

    reproduction: Reproduction
    outcome: Outcome
    replications: int
    seed: int
    cpu_seconds: float = math.nan

    @property
    def key(self) -> str:
        """Name of the table or figure."""
        return self.reproduction.key

    @cached_property
    def table(self) -> pd.DataFrame:
        """Published beside obtained: case, quantity, published, obtained, mcse, verdict."""
        return figures_table(self.outcome.figures)

    @cached_property
    def claims(self) -> pd.DataFrame:
        """Statements of the paper in words: claim, holds, seen."""
        rows = [(c.text, c.holds, c.seen) for c in self.outcome.claims]
        return pd.DataFrame(rows, columns=["claim", "holds", "seen"])

    @property
    def curves(self) -> pd.DataFrame | None:
        """What a figure draws: panel, line, x, y, low, high; None for a table."""
        return self.outcome.curves

    @property
    def simulated(self) -> str:
        """How much was simulated, from which seed; or that it is exact."""
        if not self.reproduction.unit:
            return "exact, nothing simulated"
        number = whole_number_text(self.replications)
        return f"{number} {self.reproduction.unit}, seed {self.seed}"

    def explain(self) -> str:
        """Say how many figures agree, which claims hold, and why others do not."""
        r = self.reproduction
        sentences = [f"{r.paper}: {r.what} ({self.simulated})"]
        verdicts = self.table["verdict"]
        compared = int((~verdicts.isin(["", "no target"])).sum())
        if compared:
            agree, few, rounded = (
                int((verdicts == word).sum())
                for word in ("agrees", "inconclusive", "inputs rounded")
            )
            sentences.append(
                f"{agree} of {compared} published figures agree within rounding and "
                f"{setting_number_text(AGREE)} standard errors."
            )
            if few:
                sentences.append(
                    f"{few} cannot be told: with so few {r.unit}, three standard errors are more "
                    f"than {setting_number_text(TELLING)}."
                )
            if rounded:
                sentences.append(
                    f"{rounded} would need data other than those printed, which round to them."
                )
        for claim in self.outcome.claims:
            holds = _HOLDS[claim.holds]
            sentences.append(f"“{claim.text}” {holds}: {claim.seen}.")
        return "\n".join([*sentences, *self.outcome.notes])

    def plot(self) -> Picture:
        """Draw the figure, or published beside obtained, as a new matplotlib figure."""
        from reproduction.picture import draw_reproduced

        return draw_reproduced(self)

    def to_dict(self) -> dict[str, Any]:
        """Return what `to_json` writes."""
        r = self.reproduction
        curves = self.curves
        document = {
            "schema": _SCHEMA,
            "schema_version": _VERSION,
            "bayescompare_version": __version__,
            "key": r.key,
            "paper": r.paper,
            "what": r.what,
            "unit": r.unit or None,
            "replications": self.replications if r.unit else None,
            "seed": self.seed if r.unit else None,
            "cpu_seconds": round(self.cpu_seconds, 2),
            "figures": self.table.to_dict("records"),
            "claims": self.claims.to_dict("records"),
            "notes": list(self.outcome.notes),
            "axes": None if curves is None else list(self.outcome.axes),
            "curves": None if curves is None else _reproduced_curves(curves),
        }
        return {key: _plain_reproduced(value) for key, value in document.items()}

    def to_json(self, path: str | Path | None = None, *, overwrite: bool = False) -> str:
        """Return the reproduction as JSON (docs/json-schema.md); also write it to `path`."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)
        if path is not None:
            write_text(check_file_is_writable(path, overwrite=overwrite), text)
        return text

    def __repr__(self) -> str:
        return f"{self.explain()}\n  see .table, .claims, .curves, .plot(), .to_json()"


def _reproduced_curves(curves: pd.DataFrame) -> list[dict[str, Any]]:
    """One object for each line of each panel; ``low`` and ``high`` only where there is a band."""
    lines = []
    for (panel, line), own in curves.groupby(["panel", "line"], sort=False):
        columns = ["x", "y", *(name for name in ("low", "high") if own[name].notna().any())]
        points = {name: own[name].tolist() for name in columns}
        lines.append({"panel": str(panel), "line": str(line), **points})
    return lines


def _plain_reproduced(value: Any) -> Any:
    """Numbers to six digits, and null where there is none."""
    if isinstance(value, dict):
        return {key: _plain_reproduced(v) for key, v in value.items()}
    if isinstance(value, list):
        return [_plain_reproduced(v) for v in value]
    if isinstance(value, float):
        return round(value, 6) if math.isfinite(value) else None
    return value
