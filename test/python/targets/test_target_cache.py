"""Stored text of targets: read back, and made again where it is of another version."""

import json

import gemm
import pytest
import tilepipe
from tilepipe import cache
from tilepipe.targets import is_built


def compiled(target):
    return tilepipe.compile(gemm.gemm(32, 32, 32, 32, 32, 16, 2, 64), out_idx=[-1], target=target)


def change_stored(change):
    """Applies ``change`` to what each entry of the cache holds."""
    store = cache.default()
    entries = store.entries()
    for path in entries:
        key = path.parent.name + path.stem
        store.put(key, change(store.get(key)))
    return len(entries)


@pytest.mark.parametrize("target", ["cuda:sm_80", "ascend:dav-2201"])
@pytest.mark.parametrize("where", ["entry", "function"])
def test_fields_of_another_version(target, where):
    """CACHE-12: a stored result with a field that the loader does not know is used or made again, never an error."""
    if not is_built(target.split(":")[0]):
        pytest.skip(f"this build has no target {target}")
    first = compiled(target).get_kernel_source()

    def add(text):
        read = json.loads(text)
        (read if where == "entry" else read["functions"][0])["rescued"] = True
        return json.dumps(read)

    assert change_stored(add) == 1
    assert compiled(target).get_kernel_source() == first
    # Without the field it is what it was.
    assert compiled(target).get_kernel_source() == first


@pytest.mark.parametrize("target", ["cuda:sm_80", "ascend:dav-2201"])
def test_results_of_other_options_are_not_taken(target):
    """CACHE-12: what a switch makes is stored for that switch only."""
    if not is_built(target.split(":")[0]):
        pytest.skip(f"this build has no target {target}")
    default = compiled(target).get_kernel_source()
    kernel = gemm.gemm(32, 32, 32, 32, 32, 16, 2, 64)
    switched = tilepipe.compile(kernel, out_idx=[-1], target=target, pass_configs={"form": "predicated"})
    assert switched.get_kernel_source() != default
    assert compiled(target).get_kernel_source() == default
