import json
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]


class GoldenCase:
    """One of tests/golden: inputs samples-first, and what 60-digit arithmetic says."""

    def __init__(self, path):
        content = json.loads(path.read_text())
        self.name = content["name"]
        self.input = content["input"]
        self.expected = content["expected"]
        self.tolerance = 1e-8 if self.name.startswith("stiff") else 1e-10

    def __getitem__(self, key):
        value = np.array(self.input[key])
        # Samples are columns there and rows here.
        return np.ascontiguousarray(value.T) if key in ("Phi", "Y", "Phi_new", "Y_new") else value

    @property
    def full(self):
        return "Psi" in self.input

    def close(self, actual, expected):
        expected = np.asarray(expected, dtype=float)
        assert np.shape(actual) == expected.shape
        assert np.abs(actual - expected).max() <= self.tolerance * np.abs(expected).max()


def golden_cases(full):
    cases = [GoldenCase(path) for path in sorted((ROOT / "tests" / "golden").glob("*.json"))]
    return [pytest.param(case, id=case.name) for case in cases if case.full or not full]


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def wave(rng):
    """One input, one output, noise that grows to the right."""
    X = rng.uniform(-2, 2, (150, 1))
    y = np.sin(3 * X[:, 0]) + 0.1 * (1.5 + X[:, 0] / 2) * rng.standard_normal(150)
    return X, y
