"""What is shown works: the examples and the user guide's snippets are run."""

import os
import re
import subprocess
import sys

import pytest

from conftest import ROOT

EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))


def run(arguments, folder):
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, tmp_path):
    result = run([str(path)], tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout
    if result.stdout.startswith("skipped"):
        pytest.skip(result.stdout.strip())


@pytest.mark.parametrize(("document", "least"), [("docs/python.md", 6), ("README.md", 1)])
def test_snippets(document, least, tmp_path):
    """All snippets in order, in one process: later ones build on earlier ones."""
    text = (ROOT / document).read_text()
    snippets = re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    assert len(snippets) >= least
    script = tmp_path / "guide.py"
    script.write_text("\n".join(snippets))
    result = run([str(script)], tmp_path)
    assert result.returncode == 0, result.stderr
