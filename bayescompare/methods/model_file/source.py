"""Finding, loading and checking a model file; every fault names the file, and the line."""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from bayescompare._checks import check_path
from bayescompare._errors import BayescompareError, did_you_mean, error_in_one_line
from bayescompare._model_files import bundled
from bayescompare.methods._shared.option_tables import read_parameters
from bayescompare.methods._shared.priors import describe_prior
from bayescompare.text.names import first_words

if TYPE_CHECKING:
    import pandas as pd
    import pymc as pm

    from bayescompare.table.results import Results

__all__ = ["OPTIONAL", "UNNAMED", "Source", "bundled", "describe", "find_source"]

#: What ``REPLICATES`` is where a model takes replicates but does not need them.
OPTIONAL = "optional"

#: What a model is called whose build function is a lambda.
UNNAMED = "unnamed"

#: The type of a parameter, as in "sigma : prior over algorithm, measure".
_OVER = re.compile(r"\bover (\w+(?:, \w+)*)")

#: What a comparison can be read off, in the order looked for.
MODEL_QUANTITIES: dict[str, tuple[tuple[str, ...], ...]] = {
    "theta": (("statement",),),
    "better": (("algorithm", "opponent"),),
    "strength": (("algorithm",), ("algorithm", "measure")),
}


@dataclass(frozen=True)
class Source:
    """A model's code: its build function and what goes with it.

    Attributes
    ----------
    name : str
        Of the file without its suffix, or of the function.
    where : str
        The file, or the function's module.
    build : callable
        ``build(results, **priors) -> pm.Model``.
    doc : str
        The file's docstring.
    file : str
        The file that the code stands in, whole, as tracebacks have it.
    quantity : str, optional
        The variable that the answer is read off; found by its name otherwise (``QUANTITY``).
    probability : callable, optional
        Reads the statements' probabilities off the posterior in another way.
    replicates : bool or str
        Whether it wants the replicates themselves (``REPLICATES = True``), not their means; or
        only where there are any (``REPLICATES = "optional"``).
    table : callable, optional
        ``table(predicted, results) -> Results`` makes a table of what the model predicts.
    log_likelihood : callable, optional
        Gives the log likelihood by dataset in another way.
    data_scale : str, optional
        What the likelihood of a dataset is the probability of (``DATA_SCALE``).
    sampler : mapping
        Options for `pymc.sample` where the user says nothing else (``SAMPLER``).
    """

    name: str
    where: str
    build: Callable[..., Any]
    doc: str
    file: str = ""
    quantity: str | None = None
    probability: Callable[..., Any] | None = None
    replicates: bool | str = False
    table: Callable[..., Any] | None = None
    log_likelihood: Callable[..., Any] | None = None
    data_scale: str | None = None
    sampler: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The first line of the docstring."""
        return self.doc.strip().split("\n", 1)[0] if self.doc.strip() else self.name

    def parameters(self) -> dict[str, Any]:
        """The priors that ``build`` takes by keyword, with their defaults."""
        return {p.name: None if p.default is p.empty else p.default for p in self.keywords}

    @property
    def keywords(self) -> list[inspect.Parameter]:
        """What ``build`` takes after the results."""
        parameters = list(inspect.signature(self.build).parameters.values())[1:]
        return [p for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]

    def function(self, name: str) -> Callable[..., Any]:
        """Return a function that the file defines beside ``build``."""
        build = inspect.unwrap(getattr(self.build, "func", self.build))
        home = getattr(build, "__globals__", {})
        known = {
            key: value
            for key, value in home.items()
            if inspect.isfunction(value) and value.__globals__ is home and key[0] != "_"
        }
        if name not in known:
            raise BayescompareError(
                f"{self.where}: no function {name!r} in it; it has {', '.join(known) or 'none'}."
                f"{did_you_mean(str(name), known)}"
            )
        return known[name]

    def model(self, results: Results, priors: dict[str, Any]) -> pm.Model:
        """Build the model and check that it keeps to the protocol."""
        import pymc as pm

        known = self.parameters()
        for name in priors:
            if name not in known and not self._takes_any:
                raise BayescompareError(
                    f"priors[{name!r}]: {self.where}: build() takes no such argument; it takes "
                    f"{', '.join(known) or 'none'}.{did_you_mean(name, known)}"
                )
        try:
            model = self.build(results, **priors)
        except BayescompareError as error:
            raise BayescompareError(f"{self.where}: {error}") from None
        except Exception as error:
            raise BayescompareError(
                f"{self._line(error)}: build() failed: {error_in_one_line(error)}"
            ) from error
        if not isinstance(model, pm.Model):
            raise BayescompareError(
                f"{self.where}: build() returned a {type(model).__name__}, not a pm.Model."
            )
        self._check(model, results)
        return model

    @property
    def _takes_any(self) -> bool:
        """Whether ``build`` is written ``build(results, **priors)``."""
        parameters = inspect.signature(self.build).parameters.values()
        return any(p.kind == p.VAR_KEYWORD for p in parameters)

    @contextmanager
    def named(self, what: str, *, asked: str = "") -> Iterator[None]:
        """Name the file in whatever goes wrong, in one line, and what was done.

        A refusal of ours says itself what is wrong.
        """
        try:
            yield
        except BayescompareError as error:
            raise BayescompareError(f"{asked}{self.where}: {error}") from None
        except Exception as error:
            raise BayescompareError(
                f"{asked}{self.where}: {what}: {error_in_one_line(error)}"
            ) from error

    def quantity_of(self, model: pm.Model) -> str:
        """Name of the variable that the answer is read off."""
        wanted = [self.quantity] if self.quantity else list(MODEL_QUANTITIES)
        # What is in the posterior: data and constants are not.
        drawn = [str(v.name) for v in (*model.free_RVs, *model.deterministics)]
        names = [name for name in wanted if name in drawn]
        if not names:
            raise BayescompareError(
                f"{self.where}: the model has none of {', '.join(wanted)}, off which the answer is "
                f"read; it has {', '.join(drawn) or 'nothing'}. Name one by QUANTITY."
            )
        return names[0]

    def latents_of_datasets(self, model: pm.Model) -> list[str]:
        """Free variables of which each dataset has its own."""
        dims = model.named_vars_to_dims
        names = [str(rv.name) for rv in model.free_RVs]
        return [name for name in names if "dataset" in (dims.get(name) or ())]

    def _check(self, model: pm.Model, results: Results) -> None:
        if not model.observed_RVs:
            raise BayescompareError(f"{self.where}: the model has no observed variable.")
        for rv in model.observed_RVs:
            dims = model.named_vars_to_dims.get(rv.name) or ()
            if "dataset" not in dims:
                raise BayescompareError(
                    f"{self.where}: the likelihood {rv.name!r} has dims {tuple(dims)}; it needs "
                    "'dataset', so that datasets can be left out one by one."
                )
        for dim in ("dataset", "algorithm", "opponent", "measure"):
            self._check_names(model, dim, results)
        quantity = self.quantity_of(model)
        if self.probability is None:
            dims = tuple(model.named_vars_to_dims.get(quantity) or ())
            kinds = MODEL_QUANTITIES.get(
                quantity, tuple(d for ds in MODEL_QUANTITIES.values() for d in ds)
            )
            if dims not in kinds:
                wanted = " or ".join(str(k) for k in kinds)
                raise BayescompareError(
                    f"{self.where}: {quantity!r} has dims {dims or 'none'}; it needs {wanted}."
                )

    def _check_names(self, model: pm.Model, dim: str, results: Results) -> None:
        """Reject names that do not occur in the results: the answer would be about others."""
        coords = model.coords.get(dim)
        names = None if coords is None else [str(name) for name in coords]
        source = "algorithms" if dim == "opponent" else f"{dim}s"
        wanted = getattr(results, source)
        if names is not None and sorted(names) != sorted(wanted):
            raise BayescompareError(
                f"{self.where}: the coords of {dim!r} are {len(names)} "
                f"({first_words(names)}), "
                f"and the results have {len(wanted)} ({first_words(wanted)}): take "
                f"results.{source}."
            )

    def _line(self, error: BaseException) -> str:
        """The last line of the file that the error came through."""
        for frame in reversed(traceback.extract_tb(error.__traceback__)):
            if frame.filename == self.file:
                shown = self.where if self.where.endswith(".py") else self.file
                return f"{shown}, line {frame.lineno}"
        return self.where


def find_source(source: object) -> Source:
    """Load a model from a path, a bundled model's name, or a function."""
    if callable(source):
        name = _function_name(source)
        where = f"{getattr(source, '__module__', '?')}.{name}"
        code = getattr(inspect.unwrap(source), "__code__", None)
        file = "" if code is None else str(code.co_filename)
        return _source(name, where, source, source, inspect.getdoc(source) or "", file)
    path = check_path(source, "method")
    if path.suffix != ".py":
        known = bundled()
        if str(source) not in known:
            raise BayescompareError(
                f"method={source!r}: no such model; the bundled ones are "
                f"{', '.join(known) or 'none'}; a path to your own file ends in .py."
                f"{did_you_mean(str(source), known)}"
            )
        path = known[str(source)]
    if not path.is_file():
        raise BayescompareError(f"{path}: no such model file.")
    module = _load(path)
    build = getattr(module, "build", None)
    if not callable(build):
        raise BayescompareError(
            f"{path}: no function build(results, **priors) in it, which returns the pm.Model."
        )
    return _source(path.stem, str(path), build, module, module.__doc__ or "", str(path.resolve()))


def _function_name(source: Callable[..., Any]) -> str:
    """Name of a function, or of what a partial function is made from; a lambda has none."""
    inner = getattr(source, "func", source)
    name = str(getattr(inner, "__name__", type(inner).__name__))
    return UNNAMED if name == "<lambda>" else name


def _load(path: Path) -> ModuleType:
    """Run a file as a module that is not kept."""
    whole = str(path.resolve())  # as tracebacks will have it
    spec = importlib.util.spec_from_file_location(f"bayescompare_model_{path.stem}", whole)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up while it is being run.
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        where = path if error.filename in (None, whole) else error.filename
        raise BayescompareError(f"{where}, line {error.lineno or '?'}: {error.msg}.") from None
    except (Exception, SystemExit) as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == whole]
        line = f", line {frames[-1].lineno}" if frames else ""
        raise BayescompareError(
            f"{path}{line}: cannot be loaded: {error_in_one_line(error)}"
        ) from error
    finally:
        # Not kept: the next file of this name is another one.
        sys.modules.pop(spec.name, None)
    return module


def _source(
    name: str, where: str, build: Callable[..., Any], holder: object, doc: str, file: str
) -> Source:
    """Read what goes with a build function off its module, or off the function itself."""
    found: dict[str, Any] = {}
    for attribute, (good, must) in _DECLARED.items():
        value = _attribute(holder, attribute)
        if value is None:
            continue
        if not good(value):
            shown = attribute if good is callable else f"{attribute}={value!r}"
            raise BayescompareError(f"{where}: {shown} must {must}.")
        found[attribute.lower()] = value
    return Source(name, where, build, doc, file, **found)


def _is_word(value: object) -> bool:
    return isinstance(value, str)


#: What a file may declare beside ``build``: whether a value will do, and what it must.
_DECLARED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "QUANTITY": (_is_word, "be a variable's name"),
    "probability": (callable, "be a function of the posterior"),
    "REPLICATES": (
        lambda value: isinstance(value, bool) or value == OPTIONAL,
        f"be True, False or {OPTIONAL!r}",
    ),
    "table": (callable, "be a function of what the model predicts"),
    "log_likelihood": (callable, "be a function of the posterior and the results"),
    "DATA_SCALE": (_is_word, "be a word, such as 'statements'"),
    "SAMPLER": (
        lambda value: isinstance(value, Mapping) and all(map(_is_word, value)),
        "map options of pymc.sample to values, as {'target_accept': 0.95}",
    ),
}


def _attribute(holder: object, name: str) -> Any:
    """An attribute of a module or a function, or of what a partial function is made from."""
    value = getattr(holder, name, None)
    inner = getattr(holder, "func", None)
    return _attribute(inner, name) if value is None and callable(inner) else value


# ---------------------------------------------------------------------------- its priors, tabulated


def describe(source: Source) -> pd.DataFrame:
    """Tabulate what the build function takes: dims, default and meaning by name.

    The "Parameters" of the build function's docstring, or else of the file's, give the meanings,
    and the dims where the type has them: ``sigma : prior over measure``.

    Examples
    --------
    >>> from bayescompare.methods.model_file.source import find_source
    >>> def build(results, *, sigma=1.0):
    ...     '''Build it.
    ...
    ...     Parameters
    ...     ----------
    ...     sigma : prior over measure
    ...         Scale of the strengths.
    ...     '''
    >>> describe(find_source(build)).loc["sigma"].to_dict()
    {'dims': 'measure', 'default': '1', 'meaning': 'Scale of the strengths.'}
    """
    import pandas as pd

    documented = read_parameters(inspect.cleandoc(source.doc))
    documented |= read_parameters(inspect.getdoc(source.build) or "")
    rows = []
    for parameter in source.keywords:
        kind, meaning = documented.get(parameter.name, ("", ""))
        over, default = _OVER.search(kind), parameter.default
        shown = "" if default is None else describe_prior(default)
        shown = "required" if default is parameter.empty else shown
        rows.append((parameter.name, over[1] if over else "", shown, meaning))
    return pd.DataFrame(rows, columns=["name", "dims", "default", "meaning"]).set_index("name")
