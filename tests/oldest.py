"""Print the oldest versions of all dependencies that pyproject.toml allows, as constraints for pip."""

from __future__ import annotations

import re
from pathlib import Path

ALSO = ["pyparsing<3.3"]
"""What the oldest dependencies need, in turn: newer ones warn about matplotlib's calls, and warnings are errors."""


def main() -> None:
    """One line for each, without extras."""
    import tomllib  # Python 3.10 has none, and pytest imports every module that it finds here

    said = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text(encoding="utf-8"))
    project = said["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values(), said["dependency-groups"]["dev"]]
    for requirement in sorted({each for group in groups for each in group}):
        found = re.fullmatch(r"([\w-]+)(?:\[.*\])?>=([\d.]+)", requirement)
        if found:
            print(f"{found[1]}=={found[2]}")
    print("\n".join(ALSO))


if __name__ == "__main__":
    main()
