"""What crosses between NumPy and the library: memory, threads, interrupts, and input that is wrong."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import mbll
from mbll import _core

PRIOR = mbll.MatrixNormal(np.zeros((2, 3)), np.eye(2), np.eye(3))


def test_c_order_doubles_are_read_in_place(rng):
    Phi = rng.standard_normal((6, 3))
    assert _core._data_address(Phi) == Phi.ctypes.data
    Phi.setflags(write=False)
    assert _core._data_address(Phi) == Phi.ctypes.data
    assert _core._data_address(Phi[2:]) == Phi[2:].ctypes.data
    for copied in (Phi.astype(np.float32), np.asfortranarray(Phi), Phi[::2]):
        assert _core._data_address(copied) != copied.ctypes.data


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="reads the resident memory from /proc")
def test_large_data_is_not_copied(rng):
    def resident_megabytes():
        with open("/proc/self/status") as status:
            line = next(line for line in status if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024

    Phi, Y = np.ones((400_000, 64)), np.ones((400_000, 1))  # 205 MB, filled
    Phi[:, :] += np.arange(64) * rng.standard_normal((1, 64))
    statistics = mbll.Statistics(64, 1)
    before = resident_megabytes()
    statistics.add(Phi, Y, 0.5)
    layer = mbll.BayesianLastLayer().fit(Phi, Y)
    layer.predict_distribution(Phi)
    assert resident_megabytes() - before < 100


@pytest.mark.parametrize("convert", [
    lambda a: a.astype(np.float32).astype(float),
    np.asfortranarray,
    lambda a: np.repeat(a, 2, axis=0)[::2],
    lambda a: a.astype(object),
    lambda a: a.tolist(),
    lambda a: a.astype(">f8"),
    lambda a: pytest.importorskip("pandas").DataFrame(a),
])
def test_other_layouts_give_the_same_numbers(rng, convert):
    Phi = rng.standard_normal((8, 3)).astype(np.float32).astype(float)
    Y = rng.standard_normal((8, 2))
    expected = mbll.condition(PRIOR, Phi, Y)
    np.testing.assert_array_equal(mbll.condition(PRIOR, convert(Phi), Y).mean, expected.mean)


BAD = [
    ("Phi", lambda Phi, Y, sigma: (Phi[:, :2], Y, sigma), r"\(8, 2\).*3"),
    ("Phi", lambda Phi, Y, sigma: (Phi[0], Y, sigma), r"\(3,\)"),
    ("Phi", lambda Phi, Y, sigma: (Phi[None], Y, sigma), r"\(1, 8, 3\)"),
    ("Phi", lambda Phi, Y, sigma: ("text", Y, sigma), ""),
    ("Phi", lambda Phi, Y, sigma: (Phi + 1j, Y, sigma), "complex"),
    ("Phi", lambda Phi, Y, sigma: (np.array([[object()] * 3] * 8), Y, sigma), ""),
    ("Phi", lambda Phi, Y, sigma: ([[1, 2, 3], [4, 5]], Y, sigma), ""),
    ("Phi", lambda Phi, Y, sigma: (np.where(Phi > 1, np.nan, Phi), Y, sigma), "nan"),
    ("Phi", lambda Phi, Y, sigma: (np.where(Phi > 1, np.inf, Phi), Y, sigma), "inf"),
    ("Y", lambda Phi, Y, sigma: (Phi, Y[:5], sigma), r"\(5, 2\)"),
    ("Y", lambda Phi, Y, sigma: (Phi, Y[:, 0], sigma), r"\(8,\)"),
    ("Y", lambda Phi, Y, sigma: (Phi, 3.0, sigma), r"\(\)"),
    ("Y", lambda Phi, Y, sigma: (Phi, Y * np.nan, sigma), "nan"),
    ("sigma", lambda Phi, Y, sigma: (Phi, Y, sigma[:3]), r"\(3,\)"),
    ("sigma", lambda Phi, Y, sigma: (Phi, Y, 0 * sigma), "0"),
    ("sigma", lambda Phi, Y, sigma: (Phi, Y, -1.0), "-1"),
    ("sigma", lambda Phi, Y, sigma: (Phi, Y, sigma * np.inf), "inf"),
    ("sigma", lambda Phi, Y, sigma: (Phi, Y, sigma[:, None]), r"\(8, 1\)"),
]


@pytest.mark.parametrize("name, spoil, words", BAD)
def test_bad_samples_are_named(rng, name, spoil, words):
    arguments = spoil(3 * rng.standard_normal((8, 3)), rng.standard_normal((8, 2)), np.ones(8))
    for call in (
        lambda: mbll.condition(PRIOR, *arguments),
        lambda: mbll.Statistics(3, 2).add(*arguments),
        lambda: mbll.em(PRIOR, *arguments),
    ):
        with pytest.raises(ValueError, match=f"(?i){name}.*{words}"):
            call()


@pytest.mark.parametrize("name, make", [
    ("V", lambda: mbll.MatrixNormal(np.zeros((2, 3)), -np.eye(2), 1.0)),
    ("V", lambda: mbll.MatrixNormal(np.zeros((2, 3)), np.eye(3), 1.0)),
    ("V", lambda: mbll.MatrixNormal(np.zeros((2, 3)), [[1, 2], [0, 1]], 1.0)),
    ("K", lambda: mbll.MatrixNormal(np.zeros((2, 3)), 1.0, 0.0)),
    ("K", lambda: mbll.MatrixNormal(np.zeros((2, 3)), 1.0, np.nan)),
    ("M", lambda: mbll.MatrixNormal(np.full((2, 3), np.nan), 1.0, 1.0)),
    ("M", lambda: mbll.MatrixNormal(np.zeros(3), 1.0, 1.0)),
    ("nu", lambda: mbll.NormalInverseWishart(np.zeros((2, 3)), 1.0, 1.0, 4.0)),
    ("features", lambda: mbll.Statistics(0, 1)),
    ("outputs", lambda: mbll.Statistics(1, -1)),
    ("hyperprior", lambda: mbll.em(PRIOR, np.ones((4, 3)), np.ones((4, 2)), hyperprior="flat")),
    ("hyperprior", lambda: mbll.em(PRIOR, np.ones((4, 3)), np.ones((4, 2)), hyperprior=(1, 2, 3))),
    ("structure", lambda: mbll.em(PRIOR, np.ones((4, 3)), np.ones((4, 2)), structure="round")),
    ("update_mean", lambda: mbll.em(PRIOR, np.ones((4, 3)), np.ones((4, 2)), update_mean=True)),
])
def test_bad_models_are_named(name, make):
    with pytest.raises(ValueError, match=name):
        make()


def test_empty_samples_change_nothing():
    posterior = mbll.condition(PRIOR, np.empty((0, 3)), np.empty((0, 2)), np.empty(0))
    np.testing.assert_allclose(posterior.column_covariance, np.eye(3), atol=1e-15)
    assert posterior.log_evidence == 0
    prediction = posterior.predict(np.empty((0, 3)))
    assert prediction.mean.shape == (0, 2) and prediction.total_cov.shape == (0, 2, 2)
    assert prediction.log_prob(np.empty((0, 2))).shape == (0,)


def test_bad_questions_to_a_prediction(rng):
    prediction = mbll.condition(PRIOR, rng.standard_normal((8, 3)), rng.standard_normal((8, 2))).predict(np.ones((4, 3)))
    for level in (0.0, 1.0, -1.0, np.nan):
        with pytest.raises(ValueError, match="level"):
            prediction.interval(level)
    for Y in (np.ones((3, 2)), np.ones((4, 3)), np.ones(4)):
        with pytest.raises(ValueError, match="Y"):
            prediction.log_prob(Y)
    with pytest.raises(ValueError, match="n:"):
        prediction.sample(-1)


def test_random_shapes_never_crash(rng):
    """Whatever is thrown at the functions, they answer or raise ValueError/TypeError."""
    values = [None, "x", 1, -1.5, np.nan, [], {}, object(), np.zeros(0), np.zeros((0, 0)), np.zeros((2, 0)),
              np.ones(3), np.ones((3, 2)), np.ones((2, 3)), np.ones((8, 3)), np.ones((8, 2)), np.ones((2, 2, 2)),
              np.full((8, 3), np.inf), np.array([["a"]]), np.ones((8, 3), dtype=bool), np.eye(3), np.eye(2)]
    posterior = mbll.condition(PRIOR, np.eye(3), np.ones((3, 2)))
    functions = [
        (mbll.MatrixNormal, 3), (mbll.NormalInverseWishart, 4), (posterior.predict, 2), (mbll.normal, 2),
        (lambda *a: mbll.condition(PRIOR, *a), 3), (lambda *a: mbll.em(PRIOR, *a), 3),
        (lambda *a: mbll.condition_unrelated(*a), 7), (lambda *a: mbll.metrics.ece(*a), 3),
        (lambda *a: mbll.BayesianLastLayer().fit(*a), 3),
        (lambda *a: mbll.MBLLRegressor("linear").fit(*a), 2),
    ]
    for function, count in functions:
        for _ in range(60):
            arguments = [values[i] for i in rng.integers(len(values), size=count)]
            try:
                function(*arguments)
            except (ValueError, TypeError):
                pass


def test_other_threads_run_during_long_calls(rng):
    Phi = rng.standard_normal((200_000, 48))
    Y = rng.standard_normal((200_000, 1))
    statistics = mbll.Statistics(48, 1, threads=1)
    running = threading.Event()

    def work():
        running.set()
        statistics.add(Phi, Y, 1.0)

    # With the GIL held, the loop below could not count until the call has ended.
    worker = threading.Thread(target=work)
    worker.start()
    running.wait()
    ticks = 0
    while worker.is_alive():
        ticks += 1
        time.sleep(1e-4)
    assert ticks > 10


@pytest.mark.parametrize("fit", [
    "mbll.MBLLRegressor('mlp', epochs=100000).fit(X[:, :4], y)",
    "mbll.MBLLRegressor('rbf', kernels=800, column_covariance='diagonal', tolerance=1e-15, max_steps=10**6)"
    ".fit(X[:, :4], y)",
    "mbll.BayesianLastLayer('diagonal', tol=1e-15, max_steps=10**6).fit(X, y)",
], ids=["mlp", "rbf", "last_layer"])
def test_interrupt_stops_a_fit(fit):
    """Ctrl-C in the middle of a fit that would take minutes raises KeyboardInterrupt."""
    script = f"""
        import signal
        import numpy as np, mbll
        signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start background jobs without it
        rng = np.random.default_rng(0)
        X = rng.standard_normal((20000, 600)); y = X[:, 0] + rng.standard_normal(20000)
        print("ready", flush=True)
        try:
            {fit}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=240)[0] == "interrupted\n"
    finally:
        process.kill()
