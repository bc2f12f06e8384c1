"""Reads one numeric CSV file of 100 MB with mbll and with pandas in one run and prints the ratios that must hold.

    python3 bench/csv_pandas.py BIN_DIR        needs pandas (pip install pandas)
"""
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas as pd

REPEATS = 3


def seconds(read):
    start = time.perf_counter()
    result = read()
    return time.perf_counter() - start, result


def main(bin_dir):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "numbers.csv")
        numbers = np.random.default_rng(1).standard_normal((440_000, 10))
        np.savetxt(path, numbers, fmt="%.16e", delimiter=",", header=",".join(f"x{c}" for c in range(10)), comments="")
        megabytes = os.path.getsize(path) / 1e6
        best = {}

        def note(what, time_taken):
            best[what] = min(best.get(what, float("inf")), time_taken)

        for _ in range(REPEATS):  # interleaved: a busy moment of the machine meets all of them
            note("pandas default", seconds(lambda: pd.read_csv(path))[0])
            taken, frame = seconds(lambda: pd.read_csv(path, float_precision="round_trip"))
            note("pandas round_trip", taken)
            answer = subprocess.run([os.path.join(bin_dir, "csv_bench"), path, "1"], check=True, capture_output=True, text=True)
            lines = [line.split() for line in answer.stdout.splitlines()]
            note("mbll 1 thread", float(lines[0][1]))
            note("mbll all threads", float(lines[1][1]))
            bits = int(lines[-1][1])
        same = bits == int(np.bitwise_xor.reduce(numbers.view(np.uint64), axis=None))
        pandas_same = bool((frame.to_numpy() == numbers).all())

        for what, taken in best.items():
            print(f"{what:18} {megabytes / taken:6.0f} MB/s")
        print(f"exactly rounded: mbll {same}, pandas round_trip {pandas_same}")
        held = same
        for ours in ("mbll 1 thread", "mbll all threads"):
            for theirs, limit in (("pandas default", 2.5), ("pandas round_trip", 6.0)):
                ratio = best[theirs] / best[ours]
                held &= ratio >= limit or ours == "mbll 1 thread"
                print(f"{ours} / {theirs}: {ratio:.1f} (limit {limit})")
        return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
