"""Python's collector waits while compilers work, and collects when they would wait, if the user has it."""

import gc
from weakref import ref

import pytest

from somd.compiling.one_at_a_time import collect_meanwhile, without_collections


class Circle:
    def __init__(self) -> None:
        self.own = self


@pytest.mark.parametrize("switched_on", [True, False])
def test_what_compilers_have_left_is_collected_while_they_wait(switched_on: bool) -> None:
    before = gc.isenabled()
    (gc.enable if switched_on else gc.disable)()
    try:
        with without_collections():
            circle = ref(Circle())
            collect_meanwhile()
            assert (circle() is None) == switched_on
        assert gc.isenabled() == switched_on
        kept = ref(Circle())
        gc.disable()
        collect_meanwhile()  # nobody compiles
        assert kept() is not None
    finally:
        (gc.enable if before else gc.disable)()
