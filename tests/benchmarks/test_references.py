"""The plain functions, compiled by Numba, give the suite's reference values; `validate` takes them and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.javagrande import crypt, lufact, series, sor, sparsematmult
from benchmarks.javagrande.invalid import InvalidResult
from benchmarks.javagrande.registry import BENCHMARKS, Entry


def idea(block: list[int], key: list[int]) -> list[int]:
    """IDEA as its authors define it, a word 0 standing for 0x10000 in products."""

    def times(a: int, b: int) -> int:
        return (a or 0x10000) * (b or 0x10000) % 0x10001 & 0xFFFF

    a, b, c, d = block
    for k in range(0, 48, 6):
        a, b, c, d = times(a, key[k]), b + key[k + 1] & 0xFFFF, c + key[k + 2] & 0xFFFF, times(d, key[k + 3])
        e = times(a ^ c, key[k + 4])
        f = times((b ^ d) + e & 0xFFFF, key[k + 5])
        e = e + f & 0xFFFF
        a, b, c, d = a ^ f, c ^ f, b ^ e, d ^ e
    return [times(a, key[48]), c + key[49] & 0xFFFF, b + key[50] & 0xFFFF, times(d, key[51])]


@pytest.mark.parametrize("entry", [entry for entry in BENCHMARKS if entry.name != "Series"])
def test_class_a_is_valid(entry: Entry) -> None:
    benchmark = entry.load()
    args = benchmark.prepare("A")
    benchmark.validate("A", args, benchmark.sequential(*args))


@pytest.mark.parametrize("entry", BENCHMARKS)
def test_arguments_are_fresh_at_each_call(entry: Entry) -> None:
    benchmark = entry.load()
    first, second = benchmark.prepare("A"), benchmark.prepare("A")
    arrays = [(a, b) for a, b in zip(first, second, strict=True) if isinstance(a, np.ndarray)]
    assert arrays
    for a, b in arrays:
        assert not np.shares_memory(a, b)
        np.testing.assert_array_equal(a, b)


class TestSeries:
    def result(self, count: int = 40) -> np.ndarray:
        return series.sequential(*series.inputs(count))

    def test_first_pairs(self) -> None:
        np.testing.assert_allclose(self.result(4).T, series.FIRST_PAIRS, rtol=0, atol=series.PAIR_TOLERANCE)

    def test_compiled_and_interpreted_agree(self) -> None:
        args = series.inputs(6)
        series.series_plain(*args)
        np.testing.assert_allclose(args[0], self.result(6), rtol=0, atol=1e-14)

    def test_valid(self) -> None:
        result = self.result()
        series.validate("A", (result,), result)

    @pytest.mark.parametrize(("row", "n", "off"), [(0, 0, 1e-11), (1, 3, -1e-11), (0, 39, 1e-6), (1, 20, np.nan)])
    def test_invalid(self, row: int, n: int, off: float) -> None:
        result = self.result()
        result[row, n] += off
        with pytest.raises(InvalidResult):
            series.validate("A", (result,), result)


class TestSor:
    EDGE = 24

    def solved(self) -> tuple[sor.Args, float]:
        args = sor.inputs(self.EDGE, 5)
        return args, sor.sequential(*args)

    def test_compiled_and_interpreted_agree(self) -> None:
        args = sor.inputs(self.EDGE, 5)
        total = sor.sor_plain(*args)
        compiled_args, compiled_total = self.solved()
        assert total == compiled_total
        np.testing.assert_array_equal(args[0], compiled_args[0])

    def test_colours_do_not_depend_on_the_order_within_a_sweep(self) -> None:
        grid, omega, iterations = sor.inputs(self.EDGE, 5)
        i, j = np.indices(grid.shape)
        inside = (i % (self.EDGE - 1) > 0) & (j % (self.EDGE - 1) > 0)
        for p in range(2 * iterations):
            around = np.zeros_like(grid)
            around[1:-1, 1:-1] = grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:]
            grid = np.where(inside & ((i + j) % 2 == p % 2), 0.25 * omega * around + (1.0 - omega) * grid, grid)
        np.testing.assert_array_equal(grid, self.solved()[0][0])

    def test_valid(self) -> None:
        args, total = self.solved()
        sor.check(total, args, total)

    def test_a_wrong_sum_is_invalid(self) -> None:
        args, total = self.solved()
        with pytest.raises(InvalidResult, match="Gtotal"):
            sor.check(total, args, total + 2e-12)

    def test_a_grid_left_as_it_was_is_invalid(self) -> None:
        total = self.solved()[1]
        with pytest.raises(InvalidResult, match="interior"):
            sor.check(total, sor.inputs(self.EDGE, 5), total)

    def test_not_a_number_is_invalid(self) -> None:
        args, total = self.solved()
        with pytest.raises(InvalidResult):
            sor.check(total, args, float("nan"))


class TestSparseMatmult:
    def test_grouping_keeps_every_sum(self) -> None:
        y, values, row, column, x, iterations = sparsematmult.inputs(50, 400, 3)
        assert (np.diff(row) >= 0).all()
        expected = np.zeros(50)
        for _ in range(iterations):
            np.add.at(expected, row, x[column] * values)
        np.testing.assert_array_equal(sparsematmult.sequential(y, values, row, column, x, iterations), expected)

    def test_compiled_and_interpreted_agree(self) -> None:
        args = sparsematmult.inputs(50, 400, 3)
        sparsematmult.sparsematmult_plain(*args)
        np.testing.assert_array_equal(args[0], sparsematmult.sequential(*sparsematmult.inputs(50, 400, 3)))

    def test_valid_and_invalid(self) -> None:
        args = sparsematmult.inputs(50, 400, 3)
        y = sparsematmult.sequential(*args)
        ytotal = float(y[args[2]].sum())
        sparsematmult.check(ytotal, args, y)
        y[args[2][0]] *= 1.0 + 1e-9
        with pytest.raises(InvalidResult, match="ytotal"):
            sparsematmult.check(ytotal, args, y)


class TestLufact:
    def test_solves_and_agrees_with_the_interpreter(self) -> None:
        args, interpreted = lufact.inputs(30), lufact.inputs(30)
        solution = lufact.sequential(*args)
        lufact.lufact_plain(*interpreted)
        np.testing.assert_allclose(solution, 1.0, rtol=0, atol=1e-11)
        lufact.check_factors(args, interpreted)
        np.testing.assert_array_equal(solution, interpreted[1])

    def test_the_factors_are_those_of_the_matrix(self) -> None:
        columns, b, pivots = lufact.inputs(30)
        matrix = columns.T.copy()
        lufact.sequential(columns, b, pivots)
        for k in range(30):  # Linpack exchanges only what lies right of the multipliers
            pivot = pivots[k]
            matrix[[k, pivot], k:] = matrix[[pivot, k], k:]
            multipliers = matrix[k + 1 :, k] / matrix[k, k]
            np.testing.assert_allclose(columns[k, k + 1 :], -multipliers, rtol=0, atol=1e-11)
            matrix[k + 1 :, k:] -= np.outer(multipliers, matrix[k, k:])
        np.testing.assert_allclose(np.triu(columns.T), np.triu(matrix), rtol=0, atol=1e-11)

    def test_a_singular_matrix_is_factorised(self) -> None:
        columns = np.zeros((3, 3))
        columns[1, :] = 1.0
        pivots = np.zeros(3, np.int64)
        solution = lufact.sequential(columns, np.ones(3), pivots)
        assert np.isnan(solution).any()
        assert pivots.tolist() == [0, 1, 2]

    def test_a_wrong_solution_is_invalid(self) -> None:
        args = lufact.prepare("A")
        solution = lufact.sequential(*args)
        solution[7] += 1e-9
        with pytest.raises(InvalidResult, match="residual"):
            lufact.validate("A", args, solution)

    def test_one_bit_of_the_factors_is_invalid(self) -> None:
        args, reference = lufact.inputs(30), lufact.inputs(30)
        lufact.sequential(*args)
        lufact.sequential(*reference)
        args[0][3, 5] = np.nextafter(args[0][3, 5], 2.0)
        with pytest.raises(InvalidResult, match="1 elements of the factors"):
            lufact.check_factors(args, reference)


class TestCrypt:
    def test_compiled_and_interpreted_agree(self) -> None:
        plain, cipher, _, key, _ = crypt.inputs(64)
        crypt.crypt_plain(plain, cipher, key)
        np.testing.assert_array_equal(cipher, crypt.sequential(*crypt.inputs(64))[0])

    def test_it_is_idea_where_idea_needs_no_zeros(self) -> None:
        published = crypt.encryption_key([1, 2, 3, 4, 5, 6, 7, 8])
        assert idea([0, 1, 2, 3], published.tolist()) == [0x11FB, 0xED2B, 0x0198, 0x6DE5]
        key = crypt.inputs(8)[3]
        blocks = np.random.default_rng(1).integers(1, 0x10000, (20, 4)).astype("<u2")
        plain = blocks.reshape(-1).view(np.uint8)
        cipher, decrypted = np.zeros_like(plain), np.zeros_like(plain)
        crypt.crypt_plain(plain, cipher, key)
        crypt.crypt_plain(cipher, decrypted, crypt.decryption_key(key))
        assert cipher.view("<u2").reshape(-1, 4).tolist() == [idea(block, key.tolist()) for block in blocks.tolist()]
        np.testing.assert_array_equal(decrypted, plain)

    def test_decryption_key_undone_is_the_key(self) -> None:
        key = crypt.inputs(8)[3]
        np.testing.assert_array_equal(crypt.decryption_key(crypt.decryption_key(key)), key)

    def test_one_byte_is_invalid(self) -> None:
        args = crypt.inputs(800)
        cipher, decrypted = crypt.sequential(*args)
        crypt.validate("A", args, (cipher, decrypted))
        decrypted[123] ^= 1
        with pytest.raises(InvalidResult, match="1 bytes"):
            crypt.validate("A", args, (cipher, decrypted))

    def test_text_left_plain_is_invalid(self) -> None:
        args = crypt.inputs(800)
        with pytest.raises(InvalidResult, match="100 blocks"):
            crypt.validate("A", args, (args[0].copy(), args[0].copy()))
