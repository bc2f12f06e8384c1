"""Training of small networks beside PyTorch, LibTorch and VBLL, all on this machine in this run, one thread each.

    /usr/bin/python3 bench/peers/run.py BUILD_DIR      BUILD_DIR holds mbll_step and libtorch_step

Density network with 8 inputs, mean and ln variance heads, float; a step is forward, backward, gradients clipped at +-1, AdamW. The
programs take turns, and each time is the minimum over many short runs, so that other work on the machine disturbs little.
"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
ROUNDS = 3
# case: (required ratio to PyTorch, required ratio to LibTorch)
REQUIRED = {
    "2x50-leaky-relu-32": (45, 20),
    "4x64-softplus-32": (18, None),
    "4x128-softplus-32": (8, None),
    "4x128-softplus-256": (3, None),
}
REQUIRED_FIT, FIT_EPOCHS = 100, 500


def measure(command, results):
    """Runs a program that prints "name value" lines and keeps the smallest value of each."""
    output = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout
    for line in output.splitlines():
        name, value = line.split()
        results[name] = min(float(value), results.get(name, float("inf")))


def vbll_python(build):
    """Debian's Python and PyTorch with PyPI's vbll on top."""
    environment = build / "venv"
    python = environment / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", environment], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", "vbll"], check=True)
    return python


def verdict(ratio, required):
    if required is None:
        return f"{ratio:7.1f} x" + 18 * " "
    return f"{ratio:7.1f} x (needs {required:3d}) " + ("ok  " if ratio >= required else "MISS")


def main(build):
    python = vbll_python(build)
    ours, torch, libtorch, vbll = {}, {}, {}, {}
    for _ in range(ROUNDS):
        measure([build / "mbll_step"], ours)
        measure([sys.executable, HERE / "torch_step.py"], torch)
        measure([build / "libtorch_step"], libtorch)
        measure([python, HERE / "vbll_fit.py"], vbll)
    print(f"{'training step':<20} {'mbll':>10} {'PyTorch':>10} {'LibTorch':>10}   PyTorch/mbll               LibTorch/mbll")
    for name, (to_torch, to_libtorch) in REQUIRED.items():
        times = [result[name] for result in (ours, torch, libtorch)]
        print(
            f"{name:<20} " + " ".join(f"{time:7.1f} us" for time in times),
            verdict(times[1] / times[0], to_torch),
            verdict(times[2] / times[0], to_libtorch),
        )
    fit, peer = ours["whole-fit"], vbll["vbll-epoch"] * FIT_EPOCHS
    print(f"\n2x50, 1000 samples, {FIT_EPOCHS} epochs: mbll {fit:.3f} s, VBLL {peer:.1f} s (both scaled from their fastest)", end=" ")
    print(verdict(peer / fit, REQUIRED_FIT))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
