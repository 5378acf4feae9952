"""Models whose compiled functions are kept, so that a second call does not compile them again.

Most of the first seconds of NUTS go into compiling the model's density and its gradient. A frozen
model of PyMC keeps what was compiled for it, and its data may still change. So a method that says
which of its models are alike (`Method.reusable`) has them compiled once: the next table of the
same shape is put into the model of the one before.

At most `MOST_KEPT` of them are kept, the last ones used, for as long as the process lives;
`forget_compiled_models` empties the store. A model that is in use is not in the store, so that two
threads never share one.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bayescompare._typing import AnyArray

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

    from bayescompare.outcome.method import Method
    from bayescompare.table.results import Results

__all__ = [
    "MOST_KEPT",
    "CompiledModels",
    "ReusableModel",
    "borrowed_compiled_models",
    "forget_compiled_models",
    "model_with_compiled_memory",
]

#: Models kept; each holds a few compiled functions.
MOST_KEPT = 8


@dataclass(frozen=True)
class ReusableModel:
    """What a model has in common with others, and what is its own.

    Attributes
    ----------
    key : hashable
        Models of one key differ in nothing but `data` and `coords`.
    data : mapping
        Values of its ``pm.Data``, by name. No free variable may depend on them.
    coords : mapping
        The labels of its dims.
    """

    key: Hashable
    data: Mapping[str, AnyArray]
    coords: Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class CompiledModels:
    """The models of one call.

    Attributes
    ----------
    sampled : pm.Model
        The one that NUTS samples.
    through : pm.Model or None
        The one that predicts and draws from the prior, where it is another.
    coords : mapping
        The labels of this table, where the models have those of another.
    """

    sampled: pm.Model
    through: pm.Model | None = None
    coords: Mapping[str, Sequence[Any]] = MappingProxyType({})

    def labelled(self, tree: xr.DataTree) -> xr.DataTree:
        """Give what the models made the labels of this table."""
        import xarray as xr

        for name, group in tree.children.items() if self.coords else ():
            data = group.to_dataset()
            own = {dim: list(labels) for dim, labels in self.coords.items() if dim in data.dims}
            tree[name] = xr.DataTree(data.assign_coords(own))
        return tree


_KEPT: OrderedDict[Hashable, CompiledModels] = OrderedDict()


def forget_compiled_models() -> None:
    """Drop all that was kept."""
    _KEPT.clear()


def model_with_compiled_memory(model: pm.Model) -> pm.Model:
    """Return the model with a memory for its compiled functions; itself where it cannot have one.

    Releases of PyMC before 6.3 have no such models, and some models cannot be copied.
    """
    try:
        from pymc.model.transform.optimization import freeze_model
    except ImportError:
        return model
    try:
        return freeze_model(model)
    except (NotImplementedError, ValueError, TypeError):
        return model


@contextmanager
def borrowed_compiled_models(
    method: Method, results: Results, *, edited: pm.Model | None = None
) -> Iterator[CompiledModels]:
    """The models of a method for a table, those of a table before it where they are alike."""
    if edited is not None:
        # The user's model can predict by itself.
        yield CompiledModels(edited)
        return
    reusable = method.reusable(results)
    if reusable is None:
        yield _models_to_be_compiled(method, results)
        return
    models = _KEPT.pop(reusable.key, None) or _freeze_compiled_models(
        _models_to_be_compiled(method, results)
    )
    for model in filter(None, (models.sampled, models.through)):
        for name, values in reusable.data.items():
            model.set_data(name, values)
    yield replace(models, coords=reusable.coords)
    _KEPT[reusable.key] = models
    while len(_KEPT) > MOST_KEPT:
        _KEPT.popitem(last=False)


def _models_to_be_compiled(method: Method, results: Results) -> CompiledModels:
    through = None
    if len(method.accepts.forms) > 1 and method.accepts.predicts == "textbook":
        through = method.model(results)
    return CompiledModels(method.model(results, "nuts"), through)


def _freeze_compiled_models(models: CompiledModels) -> CompiledModels:
    through = None if models.through is None else model_with_compiled_memory(models.through)
    return CompiledModels(model_with_compiled_memory(models.sampled), through)
