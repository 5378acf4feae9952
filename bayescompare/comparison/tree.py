"""Trees that users hand back: whether they are ones, and whose model made them."""

from __future__ import annotations

import xarray as xr

from bayescompare._errors import BayescompareError

__all__ = ["EDITED", "OF_EDITED", "check_tree", "is_edited_comparison_tree"]

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
