#!/usr/bin/env python3
"""Whether an engine wins won endings within the fifty-move rule, and holds drawn ones.

    endings.py [--go "movetime 100"] [--games N] ENGINE TABLES [ENDING...]

TABLES is a folder of Syzygy tables, for the other side only: it resists for as long as they know how
to. Positions are drawn at random from all that are won for White, who is to move: KQK, KRK, KBBK,
KBNK and KPK if no endings are given. KPK= is the ending of a pawn drawn with Black, the engine, to
move; White tries random moves that keep the pawn.
"""

import argparse
import random
import subprocess

import chess
import chess.syzygy


def place(men, side):
    """A random legal position of these men, no pawn on its first or last rank."""
    while True:
        board = chess.Board(None)
        for letter, square in zip(men, random.sample(chess.SQUARES, len(men))):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = side
        if board.is_valid() and not board.is_game_over():
            return board


def start(men, drawn, tables):
    """A random position that is won for White, or drawn."""
    while True:
        board = place(men, chess.BLACK if drawn else chess.WHITE)
        if tables.probe_wdl(board) == (0 if drawn else 2):
            return board


def resistance(board, tables):
    """The move that loses last by the tables, at once a draw if there is one."""

    def worth(move):
        board.push(move)
        try:
            if board.is_game_over():
                return 1000
            return 1000 if tables.probe_wdl(board) <= 0 else abs(tables.probe_dtz(board))
        finally:
            board.pop()

    moves = list(board.legal_moves)
    random.shuffle(moves)
    return max(moves, key=worth)


def attempt(board):
    """A random move that does not give the pawn away."""
    moves = list(board.legal_moves)
    random.shuffle(moves)
    for move in moves:
        board.push(move)
        kept = not any(board.is_capture(reply) for reply in board.legal_moves)
        board.pop()
        if kept:
            return move
    return moves[0]


def main():
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    arguments.add_argument("--go", default="movetime 100")
    arguments.add_argument("--games", type=int, default=200)
    arguments.add_argument("engine")
    arguments.add_argument("tables")
    arguments.add_argument("endings", nargs="*")
    given = arguments.parse_args()
    engine = subprocess.Popen(
        [given.engine], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )

    def think(first, moves):
        played = " moves " + " ".join(moves) if moves else ""
        engine.stdin.write(f"position fen {first}{played}\ngo {given.go}\n")
        for line in engine.stdout:
            if line.startswith("bestmove"):
                return chess.Move.from_uci(line.split()[1])
        raise SystemExit("the engine is gone")

    random.seed(1)
    with chess.syzygy.open_tablebase(given.tables) as tables:
        for ending in given.endings or ["KQK", "KRK", "KBBK", "KBNK", "KPK", "KPK="]:
            drawn = ending.endswith("=")
            strong = ending.rstrip("=")[:-1]
            right, longest = 0, 0
            for _ in range(given.games):
                board = start([*strong, "k"], drawn, tables)
                first, moves = board.fen(), []
                engine.stdin.write("ucinewgame\n")
                while not board.is_game_over() and board.halfmove_clock < 100:
                    if board.turn == (chess.BLACK if drawn else chess.WHITE):
                        move = think(first, moves)
                    else:
                        move = attempt(board) if drawn else resistance(board, tables)
                    moves.append(move.uci())
                    board.push(move)
                    if drawn and board.queens:
                        break
                won = board.is_checkmate() and board.turn == chess.BLACK
                if drawn:
                    won = not won and tables.probe_wdl(board) == 0
                right += won
                if won:
                    longest = max(longest, len(moves))
                else:
                    print(f"  {first} moves {' '.join(moves)}")
            word = "held" if drawn else "won"
            print(f"{ending}: {right} of {given.games} {word}, longest {longest} plies", flush=True)
    engine.stdin.write("quit\n")


main()
