"""These tests need the engine and a clang, no device and no bindings."""

import pytest
from tilepipe.emulator import cce_build


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    try:
        cce_build.library_path()
        cce_build._compiler()
    except FileNotFoundError as error:
        for item in items:
            if "emulator_cce" in item.path.parts:
                item.add_marker(pytest.mark.skip(reason=str(error)))
