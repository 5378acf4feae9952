"""`Results`: a table of measured performance and the properties of its measures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from html import escape
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._checks import check_word, pointing
from bayescompare._errors import BayescompareError, TooFewDatasets
from bayescompare._typing import BoolArray, FloatArray
from bayescompare.table.cells import (
    NOTHING_SHARED,
    READINGS,
    REPLICATE_KINDS,
    Reading,
    ReplicateKind,
    averaged,
    gaps_as_failures,
    left_out_note,
    results_stored,
    seen_despite_gaps,
    stored_results,
    uneven_replicates,
)
from bayescompare.table.checks import (
    check_data,
    check_groups,
    check_notes,
    check_selection,
    check_spec,
    check_weights,
    dims_of,
    domain_facts,
    names_in,
)
from bayescompare.table.frames import as_pandas, frozen_data, index_levels_moved, spread
from bayescompare.table.input import input_limits
from bayescompare.table.item_reader import item_fields, replicate_kind_of_items
from bayescompare.table.items import (
    check_item_data,
    expected_item_replicates,
    items_matched_alike,
    means_of_items,
    same_items,
    select_items,
    too_few_items,
    unmatched_words,
)
from bayescompare.table.layouts import LAYOUTS, Layout, as_long
from bayescompare.table.measure import Direction, Measure
from bayescompare.table.words import (
    INCOMPLETE,
    describe,
    dropped_words,
    missing_words,
    nothing_left_words,
    with_leaks_noted,
)
from bayescompare.text.names import quoted_names, unknown_name
from bayescompare.text.numbers import plural


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """How well each algorithm did on each dataset, by one or more measures.

    Parameters
    ----------
    data : xarray.Dataset
        Dimensions ``dataset`` and ``algorithm``, optionally ``replicate``, each with its names as
        coordinate; one numeric variable per measure. A missing cell is NaN.
    spec : mapping of str to Measure
        Properties of each variable of `data`. Its order is the order of the measures.
    source : str, optional
        Where the table came from.
    notes : tuple of str
        What was done to the table since, in words.
    replicates : {"folds", "seeds", "items"}
        What the replicates are: the folds of a cross-validation, which are correlated, or
        independent seeds or test items.
    item_data : xarray.Dataset, optional
        Of items: the number of each one's ``cluster`` over dataset and replicate; or, of tables too
        large to keep, the statistics that stand for the items (`has_statistics`).
    gaps : {"ignore", "worst", "bounds"}, optional
        How `compare` was asked to read missing cells; None where it was not.
    group_of, weight_of : mappings, optional
        The domain of each dataset, and its weight; `groups` and `weights` list them in order.
    benchmark_of : mapping, optional
        What datasets belong to, as MMLU's subjects do to MMLU, where the reader of a format knows.
        Only words use it; `groups` are for the model.
    trained_on : mapping, optional
        Of datasets the algorithms that were trained on them, where the reader of a format knows. A
        note counts their results.
    averaged : mapping, optional
        The ``fewest`` and the ``most`` replicates that a cell is the mean of, and what they are
        (``of``).
    truth : xarray.Dataset, optional
        Of a table from `Comparison.simulate`: the parameters that it was drawn with. It has no part
        in whether two tables are equal, is not saved, and a selection of algorithms or measures,
        which it is not about, is without it.

    See Also
    --------
    Results.from_frame : from a long pandas table, the usual way.
    bayescompare.read_results : from a file.
    """

    data: xr.Dataset
    spec: Mapping[str, Measure]
    source: str | None = field(default=None, kw_only=True)
    notes: tuple[str, ...] = field(default=(), kw_only=True)
    replicates: ReplicateKind = field(default="folds", kw_only=True)
    item_data: xr.Dataset | None = field(default=None, kw_only=True)
    gaps: Reading | None = field(default=None, kw_only=True)
    group_of: Mapping[str, str] | None = field(default=None, kw_only=True)
    weight_of: Mapping[str, float] | None = field(default=None, kw_only=True)
    benchmark_of: Mapping[str, str] | None = field(default=None, kw_only=True)
    trained_on: Mapping[str, Sequence[str]] | None = field(default=None, kw_only=True)
    averaged: Mapping[str, Any] | None = field(default=None, kw_only=True)
    truth: xr.Dataset | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        spec, notes = check_spec(self.spec), check_notes(self.notes)
        vars(self).update(data=check_data(self.data, spec), spec=spec, notes=notes)
        if not (self.source is None or isinstance(self.source, str)):
            raise BayescompareError(f"source={self.source!r}: give a string, or None.")
        check_word("replicates", self.replicates, REPLICATE_KINDS)
        vars(self).update(item_data=check_item_data(self.item_data, self.data))
        if self.gaps is not None:
            check_word("gaps", self.gaps, READINGS)
        vars(self).update(
            group_of=check_groups(self.group_of, self.datasets),
            weight_of=check_weights(self.weight_of, self.datasets),
            benchmark_of=check_groups(self.benchmark_of, (), "benchmark"),
        )
        if not (self.truth is None or isinstance(self.truth, xr.Dataset)):
            raise BayescompareError(f"truth={self.truth!r}: give an xarray.Dataset, or None.")

    def _with(self, **parts: Any) -> Results:
        """Return these results with some parts replaced by ones that are known to be valid.

        Nothing is checked again, because `pairwise` selects from one table thousands of times.
        """
        new = object.__new__(type(self))
        # Only the parts: what was worked out from them is worked out again.
        vars(new).update({part.name: getattr(self, part.name) for part in fields(self)}, **parts)
        return new

    @classmethod
    @pointing
    def from_frame(
        cls,
        df: pd.DataFrame,
        *,
        dataset: str = "dataset",
        algorithm: str = "algorithm",
        replicate: str | None = None,
        replicates: ReplicateKind = "folds",
        cluster: str | None = None,
        epoch: str | None = None,
        keep_items: bool | None = None,
        measures: Mapping[str, Direction | Measure],
        group: str | None = None,
        weight: str | None = None,
        layout: Layout = "auto",
        source: str | None = None,
        max_cells: int | None = None,
    ) -> Results:
        """Build from a frame: long, with a row per dataset and algorithm (and replicate), or wide.

        Parameters
        ----------
        df : frame
            Of pandas, or of polars and other libraries that narwhals knows. Named levels of a
            pandas index are columns. Columns not named below are ignored in a long frame.
        dataset, algorithm : str
            The columns with the names; names become strings, in order of first appearance.
        replicate : str, optional
            The column that distinguishes folds, seeds, test items or repetitions.
        replicates : {"folds", "seeds", "items"}
            What they are. Folds of a cross-validation share training data and so are correlated;
            methods that use single replicates take seeds and items as independent. With
            `cluster` or `epoch` they are items.
        cluster : str, optional
            Of items: the column of what they belong to, such as the passage that questions are
            about. A cluster lies within one dataset.
        epoch : str, optional
            Of items: the column that distinguishes repeated runs of one item, which are averaged.
        keep_items : bool, optional
            Whether to keep every item, or only their statistics (counts, means and covariances),
            which method ``"replicated"`` answers from alike. Default: up to a million rows.
        measures : mapping of str to {"max", "min"} or Measure
            The columns with the values, and which way is better.
        group : str, optional
            The column with the domain of each dataset. ``"dirichlet"`` and ``"replicated"`` then
            let the domains differ.
        weight : str, optional
            The column with the weight of each dataset, a number above 0, for the same methods.
        layout : {"auto", "long", "wide"}
            Long has an `algorithm` column and a column for each measure (or the columns
            ``measure`` and ``value``). Wide has one row per dataset: with one measure every other
            column is an algorithm, with several a pair such as ``"svm_accuracy"``; or the columns
            have two levels, of algorithms and of measures. If no column names the datasets of a
            wide frame, the labels of its rows do. "auto" decides by the columns.
        source : str, optional
            Where the table came from.
        max_cells : int, optional
            The most cells that the table may have, gaps included: datasets times algorithms times
            replicates times measures. Default: 50 million.

        Raises
        ------
        BayescompareError
            If a column is absent or used twice, a name is missing or ambiguous, a row occurs
            twice, or a value is infinite, out of bounds or not a number. NaN is a missing cell.
            Also if a cluster is in two datasets, or an item in two clusters.

        Examples
        --------
        >>> frame = pd.DataFrame({
        ...     "data": ["iris", "iris"], "method": ["A", "B"], "seconds": [1.5, 0.5],
        ... })
        >>> Results.from_frame(
        ...     frame, dataset="data", algorithm="method", measures={"seconds": "min"}
        ... ).algorithms
        ('A', 'B')
        >>> wide = pd.DataFrame({"dataset": ["iris"], "svm": [0.9], "forest": [0.8]})
        >>> Results.from_frame(wide, measures={"auc": "max"}).algorithms
        ('svm', 'forest')
        """
        spec = check_spec(measures)
        check_word("layout", layout, LAYOUTS)
        roles = {"dataset": dataset, "algorithm": algorithm}
        more = {"replicate": replicate, "cluster": cluster, "epoch": epoch}
        roles |= {role: column for role, column in more.items() if column is not None}
        # Whatever was given, for the message that there is no such column.
        roles = {role: str(column) for role, column in roles.items()}
        kind = replicate_kind_of_items(replicates, more, keep_items)
        about = [column for column in (group, weight) if column is not None]
        table = as_pandas(df, index=True)
        items = kind == "items" and replicate is not None
        known: dict[str, Any]
        with input_limits(max_cells=max_cells):
            long, columns = as_long(
                table, roles, spec, layout, facts=about, items=items, levels=index_levels_moved(df)
            )
            if items:
                known = item_fields(long, columns, spec, keep_items)
            else:
                known = {"data": spread(long, columns, spec), "replicates": kind}
        # A wide frame may have its datasets as the labels of its rows.
        named = table if roles["dataset"] in map(str, table.columns) else long
        facts = domain_facts(named, roles["dataset"], group=group, weight=weight)
        return cls(spec=spec, source=source, **known, **facts)

    @classmethod
    def from_dataset(cls, dataset: xr.Dataset) -> Results:
        """Build from the output of `to_dataset`, as read back from netCDF."""
        return cls(**results_stored(dataset))

    # ----------------------------------------------------------------------------- what is in it

    @cached_property
    def datasets(self) -> tuple[str, ...]:
        """Names of the datasets, in the order given."""
        return names_in(self.data, "dataset")

    @cached_property
    def algorithms(self) -> tuple[str, ...]:
        """Names of the algorithms, in the order given."""
        return names_in(self.data, "algorithm")

    @cached_property
    def _positions(self) -> dict[str, dict[str, int]]:
        axes = {"dataset": self.datasets, "algorithm": self.algorithms}
        return {dim: {name: i for i, name in enumerate(names)} for dim, names in axes.items()}

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures, in the order given."""
        return tuple(self.spec)

    @property
    def groups(self) -> tuple[str, ...] | None:
        """The domain of each dataset, in their order; None without ``group=``."""
        return None if self.group_of is None else tuple(self.group_of[d] for d in self.datasets)

    @property
    def weights(self) -> tuple[float, ...] | None:
        """The weight of each dataset, in their order; None without ``weight=``."""
        return None if self.weight_of is None else tuple(self.weight_of[d] for d in self.datasets)

    @property
    def n_replicates(self) -> int | None:
        """Number of replicates per cell, or None if each cell is a single number."""
        return self.data.sizes.get("replicate")

    @property
    def has_statistics(self) -> bool:
        """Whether statistics of items are kept in place of the items (``item_data``)."""
        return self.item_data is not None and "covariance" in self.item_data

    def __getitem__(self, measure: str) -> Measure:
        if measure not in self:
            raise BayescompareError(unknown_name("measure", measure, self.measures))
        return self.spec[measure]

    def __contains__(self, measure: object) -> bool:
        """Whether there is a measure of this name."""
        return isinstance(measure, str) and measure in self.spec

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the measures, as `results[name]` takes them."""
        return iter(self.spec)

    def __eq__(self, other: object) -> bool:
        # Counts of errors are more than their error rates.
        if not isinstance(other, Results) or type(other) is not type(self):
            return NotImplemented
        return (
            list(self.spec.items()) == list(other.spec.items())
            and (self.source, self.notes) == (other.source, other.notes)
            and (self.replicates, self.gaps) == (other.replicates, other.gaps)
            and (self.groups, self.weights) == (other.groups, other.weights)
            and self.data.equals(other.data)
            and same_items(self.item_data, other.item_data)
        )

    def _repr_html_(self) -> str:
        """Show the spec sheet in a notebook, on light and on dark."""
        style = "font-family:ui-monospace,monospace;line-height:1.4;overflow-x:auto"
        return f'<pre style="{style}">{escape(repr(self))}</pre>'

    def __repr__(self) -> str:
        return describe(self)

    def values(self) -> FloatArray:
        """Return the cells as they were measured, with shape (dataset, algorithm, measure)."""
        if self.n_replicates is not None:
            raise BayescompareError(
                f"these results have {self.n_replicates} replicates per cell: "
                "call results.average() first, or use a method that takes replicates."
            )
        return self._cells()

    def oriented(self) -> FloatArray:
        """Return `values` with the sign of each measure, so that higher is always better.

        Where missing cells are read as failed runs (``gaps="worst"``), a failure is a number below
        every value of its measure by more than the rope: it stands for an order, and for no value.

        Examples
        --------
        >>> frame = pd.DataFrame({"dataset": ["iris"], "algorithm": ["A"], "error": [0.1]})
        >>> Results.from_frame(frame, measures={"error": "min"}).oriented()
        array([[[-0.1]]])
        """
        values = self.values() * [float(measure.sign) for measure in self.spec.values()]
        if self.gaps != "worst":
            return values
        return gaps_as_failures(values, [measure.rope or 0.0 for measure in self.spec.values()])

    def _cells(self) -> FloatArray:
        """Return all cells, with shape (dataset, algorithm, measure[, replicate])."""
        return np.stack([self.data.variables[name].values for name in self.measures], axis=2)

    def _axes(self) -> dict[str, tuple[str, ...]]:
        """Return the names along each axis of `_cells`."""
        axes = {"dataset": self.datasets, "algorithm": self.algorithms, "measure": self.measures}
        if self.n_replicates is not None:
            axes["replicate"] = names_in(self.data, "replicate")
        return axes

    # -------------------------------------------------------------------------------- part of it

    def sel(
        self,
        *,
        algorithms: Iterable[str] | None = None,
        measures: Iterable[str] | None = None,
        datasets: Iterable[str] | None = None,
    ) -> Results:
        """Return the selected part, in the order named; ``None`` keeps all.

        Examples
        --------
        >>> frame = pd.DataFrame({"dataset": "iris", "algorithm": ["A", "B"], "auc": [0.9, 0.8]})
        >>> results = Results.from_frame(frame, measures={"auc": "max"})
        >>> results.sel(algorithms=["B", "A"]).algorithms
        ('B', 'A')
        """
        spec = self.spec
        if measures is not None:
            spec = {name: spec[name] for name in check_selection("measures", measures, spec)}
        is_whole = list(spec) == list(self.spec)
        positions = {}
        for dim, names in (("dataset", datasets), ("algorithm", algorithms)):
            if names is not None:
                known = self._positions[dim]
                chosen = [known[name] for name in check_selection(f"{dim}s", names, known)]
                # An array, because indexing by a list takes xarray twice as long.
                positions[dim] = np.array(chosen, dtype=np.intp)
                is_whole &= chosen == list(range(len(known)))
        if is_whole:
            return self
        data = (self.data if measures is None else self.data[list(spec)]).isel(positions)
        items = select_items(self.item_data, positions, None if measures is None else list(spec))
        if items is not None and self.has_statistics:
            data = means_of_items(items, data)
        whole = algorithms is None and measures is None
        truth = self.truth if whole else None
        part = self._with(data=frozen_data(data), spec=spec, item_data=items, truth=truth)
        return with_leaks_noted(part) if self.trained_on else part

    def average(self) -> Results:
        """Return the mean over the replicates; without replicates, these same results.

        On each dataset and measure the mean is over the replicates that every algorithm of these
        results has: a fold that failed for one is left out for all, so that they are compared on
        the same folds, and a note says how many. A cell is missing if its algorithm has no
        replicate there, or if the algorithms have none in common. So select the algorithms
        before you average: then the gaps of the others cost no folds.

        Examples
        --------
        >>> frame = pd.DataFrame({
        ...     "dataset": "iris", "algorithm": ["A", "A", "B"], "fold": [1, 2, 1],
        ...     "auc": [0.8, 0.9, 0.7],
        ... })
        >>> folds = Results.from_frame(frame, replicate="fold", measures={"auc": "max"})
        >>> folds.average().values().ravel()
        array([0.8, 0.7])
        >>> folds.average().notes[1]
        '1 replicate that some algorithm lacks is left out for all: 1 of 2 on iris'
        """
        if self.n_replicates is None:
            return self
        means, number, notes = averaged(self._cells(), self.datasets, self._noun)
        dims = ("dataset", "algorithm")
        data = self.data.drop_dims("replicate").assign(
            {name: (dims, means[:, :, j]) for j, name in enumerate(self.measures)}
        )
        notes = (*self.notes, *notes)
        return self._with(data=frozen_data(data), averaged=number, notes=notes, item_data=None)

    @property
    def _noun(self) -> str:
        """What one replicate is called."""
        return "item" if self.replicates == "items" else "replicate"

    def averages_alike(self) -> bool:
        """Return whether the mean of a cell is the same whichever algorithms are selected.

        It is not if some algorithm lacks a replicate that another one has.
        """
        if self.item_data is not None and self.has_statistics:
            return items_matched_alike(self.item_data)
        return self.n_replicates is None or not uneven_replicates(~np.isnan(self._cells()))

    # ----------------------------------------------------------------------------- missing cells

    def missing(self) -> pd.DataFrame:
        """List what is missing: dataset, algorithm, measure and, if there are any, replicate.

        Each replicate without a value has a row. The cell itself is missing only if all of its
        replicates are.

        Examples
        --------
        >>> frame = pd.DataFrame({"dataset": "iris", "algorithm": ["A", "B"], "auc": [0.9, None]})
        >>> Results.from_frame(frame, measures={"auc": "max"}).missing()
          dataset algorithm measure
        0    iris         B     auc
        """
        cells = np.isnan(self._cells())
        return self._listed(cells & expected_item_replicates(cells, self.replicates))

    def _listed(self, where: BoolArray) -> pd.DataFrame:
        """List the names of the cells where `where`, over the leading axes of `_cells`, is True."""
        axes = dict(list(self._axes().items())[: where.ndim])
        positions = zip(axes, np.nonzero(where), strict=True)
        cells = {dim: [axes[dim][i] for i in at] for dim, at in positions}
        return pd.DataFrame(cells, columns=list(axes))

    def absent(self) -> BoolArray:
        """Return which cells are missing, with shape (dataset, algorithm, measure).

        A cell with replicates is missing if none of them has a value.
        """
        cells = np.isnan(self._cells())
        return cells if self.n_replicates is None else np.asarray(cells.all(axis=-1))

    def coverage(self) -> pd.DataFrame:
        """Return the share of values present, with datasets as rows and algorithms as columns.

        Examples
        --------
        >>> frame = pd.DataFrame({"dataset": "iris", "algorithm": ["A", "B"], "auc": [0.9, None]})
        >>> Results.from_frame(frame, measures={"auc": "max"}).coverage()
        algorithm    A    B
        dataset
        iris       1.0  0.0
        """
        cells = np.isnan(self._cells())
        expected = expected_item_replicates(cells, self.replicates)
        axes = tuple(range(2, cells.ndim))
        number = np.broadcast_to(expected, cells.shape).sum(axis=axes)
        return pd.DataFrame(
            (~cells & expected).sum(axis=axes) / np.maximum(number, 1),
            index=pd.Index(self.datasets, name="dataset"),
            columns=pd.Index(self.algorithms, name="algorithm"),
        )

    def complete(self, *, missing: Literal["raise", "drop"] = "raise") -> Results:
        """Return results without missing cells.

        A cell with replicates is missing if none of them has a value.

        Parameters
        ----------
        missing : {"raise", "drop"}
            What to do about missing cells: refuse them, or drop every dataset that has one. Only
            the algorithms and measures of these results count, so select those you want first.

        Examples
        --------
        >>> frame = pd.DataFrame({"dataset": ["iris", "wine"], "algorithm": "A", "auc": [1, None]})
        >>> results = Results.from_frame(frame, measures={"auc": "max"})
        >>> results.complete(missing="drop").notes
        ('1 dataset with missing cells dropped: wine',)
        """
        check_word("missing", missing, ("raise", "drop"))
        gaps = self.absent()
        if not gaps.any():
            return self
        if missing == "raise":
            why = [note for note in self.notes if note.startswith(NOTHING_SHARED)]
            raise BayescompareError(missing_words(self._listed(gaps), why))
        return self._without(gaps.any(axis=(1, 2)), INCOMPLETE)

    def _without(self, gone: BoolArray, why: str) -> Results:
        """Leave out some datasets, and add a note about it."""
        named = list(zip(self.datasets, gone, strict=True))
        left, kept = [name for name, out in named if out], [name for name, out in named if not out]
        if not kept:
            raise TooFewDatasets(nothing_left_words(self.coverage()))
        return self.sel(datasets=kept)._with(notes=(*self.notes, dropped_words(left, why)))

    def paired(self, *, missing: Literal["raise", "drop"] = "raise") -> Results:
        """Return results whose replicates are there for all algorithms and measures, or for none.

        A replicate that some algorithm lacks is left out for all of them, and a note says how
        many. So datasets may have different numbers of replicates, each at least two.

        Examples
        --------
        >>> frame = pd.DataFrame({
        ...     "dataset": ["iris"] * 2 + ["wine"] * 3, "algorithm": "A", "fold": [1, 2, 1, 2, 3],
        ...     "auc": [0.8, 0.9, 0.7, 0.8, 0.9],
        ... })
        >>> folds = Results.from_frame(frame, replicate="fold", measures={"auc": "max"})
        >>> folds.paired().n_replicates
        3
        """
        if self.item_data is not None and self.has_statistics:
            few = too_few_items(self.item_data)
            whole = self._with_two(few, missing) if few.any() else self
            if self.gaps == "worst":
                raise BayescompareError(
                    "missing='worst': these results keep statistics of the items, which do not "
                    "tell a failed run from items that lack a measure; read the table with "
                    "keep_items=True, or use missing='drop' or 'ignore'."
                )
            return whole.complete(missing=missing)
        # Cells that stay missing ask nothing of the replicates of the others.
        whole = self.complete(missing=missing) if self.gaps is None else self
        if self.n_replicates is None:
            return whole
        cells = whole._cells()
        present = ~np.isnan(cells)
        unseen = ~seen_despite_gaps(whole.absent())[:, None, :, None]
        counted = (present | unseen).all(axis=(1, 2), keepdims=True)
        few = counted.sum(axis=-1).ravel() < 2
        if few.any():
            whole = whole._with_two(few, missing)
            cells, present, counted = cells[~few], present[~few], counted[~few]
        if not (present & ~counted).any():
            return whole
        left = np.where(counted, cells, np.nan)
        data = whole.data.assign(
            {name: (whole.data[name].dims, left[:, :, j]) for j, name in enumerate(self.measures)}
        )
        everywhere = np.broadcast_to(counted, (len(left), 1, *left.shape[2:]))
        left_out = left_out_note(whole.datasets, present, everywhere, self._noun)
        notes = (*whole.notes, *left_out)
        return whole._with(data=frozen_data(data), notes=notes)

    def _with_two(self, few: BoolArray, missing: Literal["raise", "drop"]) -> Results:
        """Refuse or drop the datasets that have fewer than two replicates."""
        alone = [name for name, lone in zip(self.datasets, few, strict=True) if lone]
        if missing == "raise" and self.replicates == "items":
            raise BayescompareError(self._unmatched(alone[0]))
        if missing == "raise":
            raise BayescompareError(
                f"{plural(len(alone), 'dataset')} with fewer than two replicates that every "
                f"algorithm has: {quoted_names(alone)}. Add replicates, or use missing='drop' to "
                "leave them out."
            )
        return self._without(few, "with fewer than two replicates")

    def _unmatched(self, dataset: str) -> str:
        """Say how many items of a dataset only some algorithms have."""
        i = self.datasets.index(dataset)
        if self.item_data is not None and self.has_statistics:
            number = self.item_data["items"].values[i]
            own, common = np.diagonal(number), int(number.min())
        else:
            present = ~np.isnan(self._cells()[i]).any(axis=1)
            own, common = present.sum(axis=1), int(present.all(axis=0).sum())
        return unmatched_words(
            dataset, dict(zip(self.algorithms, own.tolist(), strict=True)), common
        )

    # ------------------------------------------------------------------------------- to elsewhere

    def to_frame(self) -> pd.DataFrame:
        """Return a long table, which includes missing cells; `from_frame` reads it back.

        Examples
        --------
        >>> frame = pd.DataFrame({"dataset": ["iris"], "algorithm": ["A"], "auc": [0.9]})
        >>> Results.from_frame(frame, measures={"auc": "max"}).to_frame()
          dataset algorithm  auc
        0    iris         A  0.9
        """
        table = self.data
        if self.item_data is not None and not self.has_statistics:
            table = table.assign(cluster=self.item_data["cluster"])
        return table.to_dataframe(dims_of(self.data)).reset_index()

    def to_dataset(self) -> xr.Dataset:
        """Return everything as one dataset that netCDF can hold; `from_dataset` reads it back.

        The measures are stacked into one variable ``value`` over ``measure``, because a measure
        may be called ``"F1/macro"`` and a netCDF variable may not. The properties of the measures,
        the source and the notes are attributes, each as JSON.

        Examples
        --------
        >>> frame = pd.DataFrame({"dataset": ["iris"], "algorithm": ["A"], "auc": [0.9]})
        >>> results = Results.from_frame(frame, measures={"auc": "max"})
        >>> Results.from_dataset(results.to_dataset()) == results
        True
        """
        return stored_results(self)
