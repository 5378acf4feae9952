"""netCDF files that were made to read other files, to hang or to fill the memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayescompare as bc

SECRET = b"-----BEGIN PRIVATE KEY-----".ljust(64, b"x")
TEXT = h5py.string_dtype()


#: A comparison with a sampled posterior, whose other groups are read as they are.
SAVED = Path(__file__).resolve().parents[1] / "data" / "saved" / "model.nc"


def external_storage(file: h5py.File, victim: Path) -> None:
    """The numbers of the array are the bytes of a file on the victim's disk."""
    group = file.create_group("stolen")
    group.create_dataset("theta", (64,), "u1", external=[(str(victim), 0, 64)])


def external_link(file: h5py.File, victim: Path) -> None:
    other = victim.with_suffix(".h5")
    with h5py.File(other, "w") as own:
        own["theta"] = np.frombuffer(SECRET, "u1")
    file.create_group("stolen")["theta"] = h5py.ExternalLink(str(other), "/theta")


def virtual(file: h5py.File, victim: Path) -> None:
    external_link(file, victim)
    del file["stolen"]["theta"]
    layout = h5py.VirtualLayout((64,), "u1")
    layout[:] = h5py.VirtualSource(str(victim.with_suffix(".h5")), "theta", (64,))
    file["stolen"].create_virtual_dataset("theta", layout)


def soft_link(file: h5py.File, victim: Path) -> None:
    file.create_group("stolen")["theta"] = h5py.SoftLink("/answer/probability")


def cycle(file: h5py.File, victim: Path) -> None:
    """Each group contains all others: the paths through them never end."""
    groups = [file.create_group(f"g{k}") for k in range(8)]
    for group in groups:
        for k, other in enumerate(groups):
            group[f"to{k}"] = other


def second_link(file: h5py.File, victim: Path) -> None:
    file["answer"]["again"] = file["answer"]["probability"]


def deep(file: h5py.File, victim: Path) -> None:
    file.create_group("/".join(["posterior"] * 50))


def many_groups(file: h5py.File, victim: Path) -> None:
    for k in range(101):
        h5py.h5g.create(file.id, f"g{k}".encode())


def named_type(file: h5py.File, victim: Path) -> None:
    file["answer"]["own"] = np.dtype([("a", float), ("b", float)])


def compound(file: h5py.File, victim: Path) -> None:
    file["answer"].create_dataset("extra", (3,), [("a", float), ("b", float)])


def references(file: h5py.File, victim: Path) -> None:
    file["answer"].create_dataset("extra", data=file["results"].ref, dtype=h5py.ref_dtype)


def ragged(file: h5py.File, victim: Path) -> None:
    file["answer"].create_dataset("extra", (3,), h5py.vlen_dtype(float))


def compressed(file: h5py.File, victim: Path) -> None:
    """A filter may inflate a few bytes without end, or be one that HDF5 loads from a folder."""
    file["answer"].create_dataset("extra", data=np.zeros(10**5), compression="gzip")


def plugin(file: h5py.File, victim: Path) -> None:
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk((8,))
    properties.set_filter(32015, h5py.h5z.FLAG_OPTIONAL, ())
    space = h5py.h5s.create_simple((8,))
    h5py.h5d.create(file["answer"].id, b"extra", h5py.h5t.IEEE_F64LE, space, properties)


def unstored(file: h5py.File, victim: Path) -> None:
    file["answer"].create_dataset("extra", (2**40,), float)


def one_long_name(file: h5py.File, victim: Path) -> None:
    """numpy would give each of 10,000 names the room of the longest."""
    file["answer"].create_dataset("extra", data=["x" * 10**5, *["y"] * 9_999], dtype=TEXT)


def one_text_for_all(file: h5py.File, victim: Path) -> None:
    """The entries of an attribute may all point to the same long text."""
    file.create_group("stolen").attrs.create("long", ["x" * 50] * 4_000, dtype=TEXT)


def object_attribute(file: h5py.File, victim: Path) -> None:
    file["answer"].attrs.create("own", file["results"].ref, dtype=h5py.ref_dtype)


CRAFTED: dict[Callable[[h5py.File, Path], None], str] = {
    external_storage: "'/stolen/theta' lies in other files",
    external_link: "'/stolen/theta' is a link into another file",
    virtual: "'/stolen/theta' lies in other files",
    soft_link: "'/stolen/theta' is a link by name",
    cycle: "is a second link|is a group within a group",
    second_link: "'/answer/.*' is a second link to the same",
    deep: "'/posterior/posterior' is a group within a group",
    many_groups: "more than 100 groups",
    named_type: "'/answer/own' is a type of its own",
    compound: "'/answer/extra' holds neither numbers nor text",
    references: "'/answer/extra' holds neither numbers nor text",
    ragged: "'/answer/extra' holds neither numbers nor text",
    compressed: "'/answer/extra' is stored in chunks, or compressed",
    plugin: "'/answer/extra' is stored in chunks, or compressed",
    unstored: "its arrays take 8,192.0 GiB or more, in a file of .* by max_bytes=",
    one_long_name: "its arrays take 3.73 GiB or more, in a file of .* by max_bytes=",
    one_text_for_all: "'/stolen' has an attribute of 4000 texts",
    object_attribute: "'/answer' has an attribute of neither numbers nor text",
}


@pytest.mark.parametrize("craft", CRAFTED, ids=lambda craft: craft.__name__)
def test_what_we_do_not_write_is_refused_unopened(
    craft: Callable[[h5py.File, Path], None], tmp_path: Path
) -> None:
    victim, path = tmp_path / "id_rsa", tmp_path / "c.nc"
    victim.write_bytes(SECRET)
    path.write_bytes(SAVED.read_bytes())
    with h5py.File(path, "a") as file:
        craft(file, victim)
    with pytest.raises(bc.BayescompareError, match=CRAFTED[craft]):
        bc.load_comparison(path)


def test_what_a_file_remembers_of_its_compression_is_not_written_on(tmp_path: Path) -> None:
    """Items that were read from a compressed file are saved so that they load again."""
    rows = [(d, a, i, (i + ord(a)) % 2) for d in "xyz" for a in "AB" for i in range(5)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "item", "right"])
    results = bc.Results.from_frame(
        frame, replicate="item", replicates="items", keep_items=False, measures={"right": "max"}
    )
    stored = results.to_dataset()
    stored["item_mean"].encoding["zlib"] = True
    stored.to_netcdf(tmp_path / "results.nc", engine="h5netcdf")
    with xr.open_dataset(tmp_path / "results.nc", engine="h5netcdf") as opened:
        c = bc.compare(bc.Results.from_dataset(opened.load()), method="replicated")
    assert bc.load_comparison(c.to_netcdf(tmp_path / "c.nc")).best == c.best


def test_a_limit_on_the_arrays_of_a_file() -> None:
    with pytest.raises(bc.BayescompareError, match=r"its arrays take .* GiB or more"):
        bc.load_comparison(SAVED, max_bytes=100)
    with pytest.raises(bc.BayescompareError, match="max_bytes=0: must be an integer >= 1"):
        bc.load_comparison(SAVED, max_bytes=0)
    assert bc.load_comparison(SAVED, max_bytes=10**6).best


@pytest.mark.parametrize("kind", ["comparison", "pairwise", "ranking"])
def test_a_key_that_occurs_twice_is_refused(kind: str, tmp_path: Path) -> None:
    """Another program would show the first value and we the last."""
    results = bc.load_example("jansen-uci").sel(measures=["auc"], algorithms=["RF", "CART", "EN"])
    made: Any = {
        "comparison": lambda: bc.compare(results, method="friedman"),
        "pairwise": lambda: bc.pairwise(results, method="sign", n_jobs=1),
        "ranking": lambda: bc.rank(results, draws=100, rng=0),
    }
    load = getattr(bc, f"load_{kind}")
    text, path = made[kind]().to_json(), tmp_path / "x.json"
    path.write_text(text)
    load(path)
    path.write_text(text.replace('"source":', '"source": "other", "source":', 1))
    with pytest.raises(bc.BayescompareError, match="an object has the key 'source' twice"):
        load(path)
    with pytest.raises(bc.BayescompareError, match=r"holds more than .* by max_bytes="):
        load(path, max_bytes=100)
