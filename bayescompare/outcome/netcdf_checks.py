"""What a netCDF file may hold before it is opened: only what `Comparison.to_netcdf` writes.

netCDF 4 is HDF5, which has links into other files, arrays whose numbers lie in other files, filters
that load code, groups that contain themselves, and arrays that are declared and not stored. We
write none of these, so that a file that has one was made by somebody else.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare.table import input as _input
from bayescompare.text.numbers import count

#: The largest arrays that are read from a netCDF file, all together: 4 GiB.
MOST_ARRAYS = 4 * 2**30

#: Groups, variables and attributes of a file. Ours have about 20, 100 and 500.
_MOST_GROUPS, _MOST_OBJECTS, _MOST_ATTRIBUTES = 100, 2_000, 20_000

#: Texts of an attribute, such as the names of dimensions, each of which may be long.
_FEW_TEXTS = 64

#: How netCDF stores which dimensions a variable has.
_DIMENSIONS = (b"DIMENSION_LIST", b"REFERENCE_LIST")

#: Bytes of a string that is stored elsewhere in the file: its length, and where it is.
_REFERENCE = 16


def check_netcdf_before_opening(source: Path, max_bytes: int | None = None) -> None:
    """Refuse a file that reaches beyond itself, never ends, or takes more memory than it may.

    Parameters
    ----------
    source : path
    max_bytes : int, optional
        Of all arrays. By default 4 GiB, and no more beyond the size of the file than a table may
        take: arrays that are declared and not stored cost nothing to send.
    """
    import h5py

    stored = source.stat().st_size
    if max_bytes is None:
        max_bytes = min(MOST_ARRAYS, stored + _input.MOST_BYTES)
    arrays = texts = attributes = 0
    with h5py.File(source) as file:
        for number, (name, item) in enumerate(_objects_in_netcdf(file, h5py), 1):
            attributes += h5py.h5a.get_num_attrs(item.id)
            if number > _MOST_OBJECTS or attributes > _MOST_ATTRIBUTES:
                raise _too_many_in_netcdf()
            if isinstance(item, h5py.Dataset):
                arrays += _array_bytes_in_netcdf(name, item, source, h5py)
            texts += _attribute_bytes_in_netcdf(name, item, stored, h5py)
            if texts > 2 * stored:
                raise _foreign_to_netcdf(name, "has attributes that share one text")
            if arrays > max_bytes:
                raise BayescompareError(
                    f"its arrays take {count(arrays / 2**30)} GiB or more, in a file of "
                    f"{count(stored / 2**20)} MiB: allow it by max_bytes=, or read a part of it "
                    "with xarray.open_datatree."
                )


def _objects_in_netcdf(file: Any, h5py: Any) -> Iterator[tuple[str, Any]]:
    """Yield the root, its groups, and the variables of each, none of them twice."""
    seen = {h5py.h5o.get_info(file.id).addr}
    yield "/", file
    groups = [("", file, 0)]
    while groups:
        place, group, depth = groups.pop()
        if group.id.get_num_objs() > _MOST_OBJECTS:
            raise _too_many_in_netcdf()
        for link in group.id:
            name = f"{place}/{link.decode(errors='replace')}"
            kind = group.id.links.get_info(link).type
            if kind != h5py.h5l.TYPE_HARD:
                where = "into another file" if kind == h5py.h5l.TYPE_EXTERNAL else "by name"
                raise _foreign_to_netcdf(name, f"is a link {where}")
            opened = h5py.h5o.open(group.id, link)
            address = h5py.h5o.get_info(opened).addr
            if address in seen:
                raise _foreign_to_netcdf(name, "is a second link to the same group or variable")
            seen.add(address)
            if isinstance(opened, h5py.h5g.GroupID):
                if depth:
                    raise _foreign_to_netcdf(name, "is a group within a group")
                if len(groups) > _MOST_GROUPS:
                    raise _too_many_in_netcdf()
                groups.append((name, h5py.Group(opened), depth + 1))
                yield name, h5py.Group(opened)
            elif isinstance(opened, h5py.h5d.DatasetID):
                yield name, h5py.Dataset(opened)
            else:
                raise _foreign_to_netcdf(name, "is a type of its own")


def _array_bytes_in_netcdf(name: str, item: Any, source: Path, h5py: Any) -> int:
    """Return the memory that a variable needs; refuse one that is not simply in the file."""
    h5d, h5t = h5py.h5d, h5py.h5t
    properties = item.id.get_create_plist()
    layout = properties.get_layout()
    # Before the shape is asked for, for which HDF5 opens the files of a virtual array.
    if layout == h5d.VIRTUAL or (layout == h5d.CONTIGUOUS and properties.get_external_count()):
        raise _foreign_to_netcdf(name, "lies in other files")
    # An array of length 0 may grow, and is stored in chunks, of which there are none.
    if layout != h5d.CONTIGUOUS and item.size:
        raise _foreign_to_netcdf(name, "is stored in chunks, or compressed")
    kind = item.id.get_type()
    if kind.get_class() not in (h5t.INTEGER, h5t.FLOAT, h5t.STRING):
        raise _foreign_to_netcdf(name, "holds neither numbers nor text")
    size = int(item.size or 0)
    if kind.get_class() != h5t.STRING or not kind.is_variable_str():
        return size * max(8, int(kind.get_size()))
    there = int(item.id.get_storage_size())
    longest = 0
    if there:
        if there != _REFERENCE * size:
            raise _foreign_to_netcdf(name, "holds texts of another kind")
        with source.open("rb") as file:
            file.seek(item.id.get_offset())
            # Only the lengths: many texts may be one and the same place in the file.
            lengths = np.frombuffer(file.read(there), np.dtype("<u4"))[::4]
        longest = int(lengths.max(initial=0))
    # numpy gives every text the room of the longest.
    return size * (_REFERENCE + 4 * longest)


def _attribute_bytes_in_netcdf(name: str, item: Any, stored: int, h5py: Any) -> int:
    """Return how much the attributes hold, each of which is read whole when the file is opened."""
    h5t = h5py.h5t
    total = 0
    for at in range(h5py.h5a.get_num_attrs(item.id)):
        attribute = h5py.h5a.open(item.id, index=at)
        kind = attribute.get_type()
        values = int(attribute.get_space().get_simple_extent_npoints())
        text = kind.get_class() == h5t.STRING and kind.is_variable_str()
        if attribute.name in _DIMENSIONS:
            continue
        if kind.get_class() not in (h5t.INTEGER, h5t.FLOAT, h5t.STRING, h5t.ENUM):
            raise _foreign_to_netcdf(name, "has an attribute of neither numbers nor text")
        if text and values > _FEW_TEXTS and values * stored > _input.MOST_BYTES:
            raise _foreign_to_netcdf(name, f"has an attribute of {values} texts")
        if text and values:
            held = item.attrs[attribute.name.decode()]
            total += sum(map(len, np.atleast_1d(held)))
        else:
            total += values * int(kind.get_size())
    return total


def _too_many_in_netcdf() -> BayescompareError:
    return BayescompareError(
        f"it has more than {_MOST_GROUPS} groups, {_MOST_OBJECTS} variables or "
        f"{_MOST_ATTRIBUTES} attributes: bayescompare writes no such file, and reads none."
    )


def _foreign_to_netcdf(name: str, what: str) -> BayescompareError:
    return BayescompareError(f"{name!r} {what}: bayescompare writes no such file, and reads none.")
