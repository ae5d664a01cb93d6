#!/usr/bin/env python3
"""Whether an engine's moves from Polyglot books are legal and drawn as often as their weights say.

    book_draws.py ENGINE BOOK...

For each book up to 25 positions are found by random walks along its moves (or the FENs of standard
input, one a line, where a book does not hold the start position), castlings first; 10,000 moves are
drawn in all and compared with the weights by chi-squared tests. `wrong` counts moves that are not
in the book; below 0.001 a test says that the draws are not the weights'.
"""

import collections
import math
import random
import struct
import subprocess
import sys

import chess
import chess.polyglot

DRAWS = 10_000
POSITIONS = 25


def load(path):
    """All entries by key, whatever their order in the file: (raw move, weight)."""
    book = collections.defaultdict(list)
    with open(path, "rb") as file:
        data = file.read()
    for at in range(0, len(data) // 16 * 16, 16):
        key, move, weight, _ = struct.unpack_from(">QHHI", data, at)
        book[key].append((move, weight))
    return book


def moves_of(book, board):
    """Legal moves with their weights, those of weight 0 left out."""
    weights = collections.Counter()
    for raw, weight in book.get(chess.polyglot.zobrist_hash(board), []):
        to, origin, promotion = raw & 63, raw >> 6 & 63, raw >> 12 & 7
        if board.piece_type_at(origin) == chess.KING and board.piece_at(to) == chess.Piece(
            chess.ROOK, board.turn
        ):
            file = 6 if chess.square_file(to) > chess.square_file(origin) else 2
            to = chess.square(file, chess.square_rank(origin))
        move = chess.Move(origin, to, [None, 2, 3, 4, 5][promotion] if promotion < 5 else None)
        if weight and move in board.legal_moves:
            weights[move.uci()] += weight
    return weights


def positions(book, fens):
    """Boards with their weights, those where castling is in the book first."""
    found = {}
    boards = [chess.Board(fen) for fen in fens]
    for _ in range(4000):
        board = chess.Board()
        for _ in range(random.randrange(24)):
            weights = moves_of(book, board)
            if not weights:
                break
            board.push_uci(random.choice(sorted(weights)))
        boards.append(board)
    for board in boards:
        weights = moves_of(book, board)
        if weights:
            found[board.fen()] = weights

    def dull(fen):
        board = chess.Board(fen)
        castles = any(board.is_castling(chess.Move.from_uci(move)) for move in found[fen])
        return (not castles, len(found[fen]) == 1)

    order = list(found)
    random.shuffle(order)
    return {fen: found[fen] for fen in sorted(order, key=dull)[:POSITIONS]}


def upper_tail(chi_squared, freedom):
    """Wilson and Hilferty's approximation."""
    spread = 2 / (9 * freedom)
    deviation = ((chi_squared / freedom) ** (1 / 3) - 1 + spread) / math.sqrt(spread)
    return math.erfc(deviation / math.sqrt(2)) / 2


def chance(got, weights, draws):
    """The chance of draws at least so uneven; the rarest moves are taken together, so that no cell
    expects less than five."""
    total = sum(weights.values())
    cells, cell = [], [0, 0.0]
    for move, weight in sorted(weights.items(), key=lambda item: item[1]):
        cell = [cell[0] + got[move], cell[1] + draws * weight / total]
        if cell[1] >= 5:
            cells.append(cell)
            cell = [0, 0.0]
    if len(cells) < 2:
        return None
    return upper_tail(sum((o - e) ** 2 / e for o, e in cells), len(cells) - 1)


def main():
    engine_path, *books = sys.argv[1:]
    fens = [] if sys.stdin.isatty() else [line.strip() for line in sys.stdin if line.strip()]
    engine = subprocess.Popen(
        [engine_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )

    def draw(fen):
        engine.stdin.write(f"position fen {fen}\ngo depth 1\n")
        for line in engine.stdout:
            if line.startswith("bestmove"):
                return line.split()[1]
        sys.exit("the engine is gone")

    random.seed(3)
    for path in books:
        engine.stdin.write(f"setoption name BookFile value {path}\nsetoption name OwnBook value true\n")
        chosen = positions(load(path), fens)
        if not chosen:
            print(f"{path}: no position found; give FENs on standard input")
            continue
        draws, wrong, chances = DRAWS // len(chosen), 0, []
        for fen, weights in chosen.items():
            got = collections.Counter(draw(fen) for _ in range(draws))
            wrong += sum(count for move, count in got.items() if move not in weights)
            p = chance(got, weights, draws)
            if p is not None:
                chances.append(p)
                if p < 0.001:
                    print(f"  {fen}: weights {dict(weights)}, draws {dict(got)}, chance {p:.6f}")
        least = f"{min(chances):.4f}" if chances else "-"
        print(
            f"{path}: {len(chosen)} positions, {draws * len(chosen)} draws, {wrong} wrong, "
            f"{len(chances)} tests, least {least}"
        )
    engine.stdin.write("quit\n")


main()
