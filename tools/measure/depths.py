#!/usr/bin/env python3
"""Time to a depth and the effective branching factor, engines side by side.

    depths.py [--depth N] [--fens FILE] ENGINE...

Each position is searched to each depth on the way by a fresh hash table of 64 MiB with one thread.
The effective branching factor is the mean growth of the nodes from depth N - 6 to N. An engine may
be followed by options, as in `"stockfish;Use NNUE=false"`.
"""

import argparse
import math
import subprocess
import time

POSITIONS = """
r1bqkb1r/pp1n1ppp/2p1pn2/3p4/2PP4/2N1PN2/PP3PPP/R1BQKB1R w KQkq - 2 6
r2q1rk1/pp2bppp/2n1bn2/3p4/3N4/2N1B1P1/PP2PPBP/R2Q1RK1 w - - 5 12
r1b2rk1/2q1bppp/p2ppn2/1p6/3BP3/2N2B2/PPP2PPP/R2QR1K1 w - - 2 14
2rq1rk1/pb1n1ppp/1p2pn2/8/1b1P4/2NB1N2/PP2QPPP/R1BR2K1 w - - 4 13
r1bq1rk1/1p2bppp/p1n1pn2/8/P1BP4/2N2N2/1P2QPPP/R1BR2K1 b - - 1 11
r4rk1/1bqnbppp/p2ppn2/1p6/3NPP2/P1NBB3/1PP1Q1PP/R4R1K w - - 3 14
rn1q1rk1/pbp2pp1/1p2pb1p/8/2BP4/2N1PN2/PP3PPP/R2Q1RK1 w - - 2 11
r1bq1rk1/pp1n1pbp/2pp1np1/4p3/2PPP3/2N2N1P/PP2BPP1/R1BQ1RK1 w - - 1 9
r2qr1k1/1b1nbppp/pp1ppn2/8/2PNP3/1PN1BP2/P2QB1PP/2RR2K1 w - - 2 15
r1b1r1k1/pp1nqpp1/2pb1n1p/3p4/3P4/2NBPN2/PPQ2PPP/R1BR2K1 w - - 8 13
""".strip().splitlines()


class Engine:
    """An engine over UCI."""

    def __init__(self, words):
        command, *options = words.split(";")
        self.name = words
        self.process = subprocess.Popen(
            [command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.say("uci", "uciok")
        for option in ["Hash=64", "Threads=1", *options]:
            name, value = option.split("=")
            self.process.stdin.write(f"setoption name {name} value {value}\n")

    def say(self, line, answer):
        """Writes a line and returns what comes until the answer."""
        self.process.stdin.write(line + "\n")
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if line.startswith(answer):
                return lines
        raise SystemExit(f"{self.name} is gone")

    def reach(self, fen, depth):
        """Seconds to the depth, and the nodes at the end of each iteration."""
        self.process.stdin.write("ucinewgame\n")
        self.say("isready", "readyok")
        self.process.stdin.write(f"position fen {fen}\n")
        start = time.perf_counter()
        lines = self.say(f"go depth {depth}", "bestmove")
        seconds = time.perf_counter() - start
        nodes = {}
        for line in lines:
            words = line.split()
            if "depth" in words and "nodes" in words and "currmove" not in words:
                nodes[int(words[words.index("depth") + 1])] = int(words[words.index("nodes") + 1])
        return seconds, nodes


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--depth", type=int, default=20)
    arguments.add_argument("--fens", type=argparse.FileType())
    arguments.add_argument("engines", nargs="+")
    given = arguments.parse_args()
    fens = [line.strip() for line in given.fens] if given.fens else POSITIONS
    for words in given.engines:
        engine = Engine(words)
        times, growths, total = [], [], 0
        for fen in fens:
            seconds, nodes = engine.reach(fen, given.depth)
            times.append(seconds)
            last, before = nodes.get(given.depth), nodes.get(given.depth - 6)
            total += max(nodes.values(), default=0)
            if last and before:
                growths.append(math.log(last / before) / 6)
        factor = math.exp(sum(growths) / len(growths)) if growths else math.nan
        print(
            f"{engine.name}: depth {given.depth} in {sum(times):.1f} s (median {sorted(times)[len(times) // 2]:.2f}), "
            f"{total / sum(times) / 1e6:.2f} M nodes/s, effective branching factor {factor:.2f}",
            flush=True,
        )
        engine.process.stdin.write("quit\n")


main()
