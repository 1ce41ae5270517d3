"""Game of Life

Conway's, on a torus: two boards that change places.

Prints:

    ........
    ........
    ........
    ....#...
    .....#..
    ...###..
    ........
    ........
"""

import numpy as np

from somd import dist, somd


@somd
def live(board: dist[np.ndarray], generations: int) -> np.ndarray:
    rows, columns = board.shape
    new = np.empty_like(board)
    for _ in range(generations):
        for i in range(rows):
            for j in range(columns):
                neighbours = 0
                for di in (-1, 0, 1):
                    for dj in (-1, 0, 1):
                        if (di, dj) != (0, 0) and board[(i + di) % rows, (j + dj) % columns]:
                            neighbours += 1
                new[i, j] = neighbours == 3 or (neighbours == 2 and board[i, j])
        board, new = new, board
    return board


def main() -> None:
    board = np.zeros((8, 8), dtype=bool)
    for i, j in (1, 2), (2, 3), (3, 1), (3, 2), (3, 3):  # a glider
        board[i, j] = True
    for row in live(board, 8):
        print("".join(".#"[int(cell)] for cell in row))


if __name__ == "__main__":
    main()
