"""Trees that users hand back: whether they are ones, and whose model made them."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np
import xarray as xr

from bayescompare._errors import BayescompareError
from bayescompare._version import __version__
from bayescompare.statements import OUTCOME

#: What the attribute "model" of a tree says where the user gave the model.
EDITED = "edited"


OF_EDITED = "This is about an edited model, not the one behind the comparison."


def is_edited_comparison_tree(tree: xr.DataTree) -> bool:
    """Whether a tree was sampled from a model that the user edited."""
    return bool(tree.attrs.get("model") == EDITED)


def check_tree(tree: object, group: str) -> None:
    """Reject what is not a tree, or has no such group."""
    if not isinstance(tree, xr.DataTree):
        raise BayescompareError(
            f"tree is a {type(tree).__name__}: pass the tree that draws() or sample() returns."
        )
    if group not in tree:
        raise BayescompareError(
            f"tree has no {group} group: pass the tree that draws() or sample() returns."
        )


STATEMENT_INDEX, COUNT = "statement_index", "count"


_PREDICTED = ("posterior_predictive", "prior_predictive")


def arviz_tree(tree: xr.DataTree, *, sampled: bool) -> xr.DataTree:
    """Add indices, counts and the attributes that ArviZ writes; what is there already stays.

    Parameters
    ----------
    tree : DataTree
    sampled : bool
        Whether PyMC made the draws, rather than this package.

    Examples
    --------
    >>> import bayescompare as bc
    >>> c = bc.compare(bc.load_example("benavoli-example1"))
    >>> tree = c.draws(10, rng=1)
    >>> tree["observed_data"]["count"].values.tolist()
    [1, 2, 3, 6]
    >>> tree["posterior"].attrs["inference_library"]
    'bayescompare'
    """
    tree = _arviz_tree_with_numbers(tree)
    makers = _arviz_tree_makers(sampled=sampled)
    tree.attrs = {**makers, **tree.attrs}
    for node in tree.children.values():
        node.attrs = {**makers, **node.attrs}
    return tree


def _arviz_tree_makers(*, sampled: bool) -> dict[str, str]:
    library = "pymc" if sampled else "bayescompare"
    return {
        "created_at": datetime.now(UTC).isoformat(),
        "creation_library": "bayescompare",
        "creation_library_version": __version__,
        "creation_library_language": "Python",
        "inference_library": library,
        "inference_library_version": version("pymc") if sampled else __version__,
    }


def _arviz_tree_with_numbers(tree: xr.DataTree) -> xr.DataTree:
    seen = _outcome_in_arviz_tree(tree, "observed_data")
    if seen is None:
        return tree
    # A tie is split between statements, and replicates may leave a statement uncertain.
    certain = bool(((seen == 0) | (seen == 1)).all() and (seen.sum("statement") == 1).all())
    counted = certain or ("constant_data" in tree and COUNT in tree["constant_data"])
    if not counted:
        return tree
    tree = tree.copy()
    for group in ("observed_data", *_PREDICTED):
        outcome = _outcome_in_arviz_tree(tree, group)
        if outcome is None:
            continue
        data = tree[group].to_dataset()
        count: Any = outcome.sum("dataset")
        whole = certain or group in _PREDICTED
        new = {COUNT: count.astype(np.int32) if whole else count}
        if certain:
            labels = [str(label) for label in outcome["statement"].values]
            index = outcome.argmax("statement").astype(np.int32)
            new[STATEMENT_INDEX] = index.assign_attrs(statements=labels)
        tree[group] = xr.DataTree(data.assign({k: v for k, v in new.items() if k not in data}))
    return tree


def _outcome_in_arviz_tree(tree: xr.DataTree, group: str) -> xr.DataArray | None:
    if group not in tree or OUTCOME not in tree[group]:
        return None
    outcome: xr.DataArray = tree[group].to_dataset()[OUTCOME]
    return outcome if {"dataset", "statement"} <= set(outcome.dims) else None
