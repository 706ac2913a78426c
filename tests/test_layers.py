"""Each part of the package imports only what it may; kernels know nothing but kernels."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import dncsc

PACKAGE = Path(dncsc.__file__).parent
LAYERS = [
    "suggest",
    "errors",
    "version",
    "memory",
    "atomic",
    "npy_header",
    "records",
    "rows",
    "kernels",
    "engines",
    "phases",
    "recipes",
    "model",
    "steps",
    "pipeline",
    "checkpoint",
    "model_file",
    "budget",
    "tables",
    "estimators",
]
"""From the lowest: each imports from itself and those before it."""

ALLOWED = {
    **{name: LAYERS[: i + 1] for i, name in enumerate(LAYERS)},
    "metrics": [],
    "datasets": ["suggest", "engines.seeds"],
    "plot": [],
    "report": [*LAYERS, "metrics", "plot"],
    "scanpy": LAYERS,
    "bench": [*LAYERS, "metrics", "plot", "datasets", "report"],
    "demo": [*LAYERS, "metrics", "plot", "datasets"],
    "cli": ["", *LAYERS, "metrics", "plot", "datasets", "report", "bench", "demo"],
    "__main__": ["cli"],
    "": [*LAYERS, "metrics", "plot", "datasets", "report", "scanpy"],
}
"""For each part, the parts or modules that it may import, next to itself; "" is what users import, `dncsc`."""

FILES = sorted(PACKAGE.rglob("*.py"))


def module_of(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in FILES}
TREES = {module: ast.parse(path.read_text()) for module, path in MODULES.items()}


def imports(module):
    """Modules of the package that a module imports, wherever in it; (module, name) pairs for `from` imports."""
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = node.module or ""
            if node.level:
                package = module if MODULES[module].name == "__init__.py" else module.rpartition(".")[0]
                base = package.split(".")[: len(package.split(".")) - node.level + 1]
                source = ".".join([*base, *filter(None, [node.module])])
            for alias in node.names:
                whole = f"{source}.{alias.name}"
                yield (whole, None) if whole in MODULES else (source, alias.name)


def inner_imports(module):
    return sorted({source for source, _ in imports(module) if source.split(".")[0] == "dncsc"})


def layer(module):
    """Part of the package that a module belongs to; "" for the package itself."""
    return [*module.split("."), ""][1]


def imported(module):
    """What a module imports of the package, without "dncsc."; public names count as the modules they come from.

    But in the layers: what `dncsc` has to offer lies above them.
    """
    for source, name in imports(module):
        if source == "dncsc" and layer(module) not in LAYERS:
            yield dncsc._MODULE_OF.get(name, "")
        elif source.split(".")[0] == "dncsc":
            yield source.removeprefix("dncsc").removeprefix(".")


IN_LAYERS = [module for module in MODULES if layer(module) in LAYERS]


def test_every_part_has_files_and_every_file_a_part():
    assert {layer(module) for module in MODULES} == set(ALLOWED)


@pytest.mark.parametrize("module", MODULES)
def test_a_part_imports_only_what_it_may(module):
    may = {layer(module), *ALLOWED[layer(module)]}
    foreign = {source for source in imported(module) if source not in may and source.split(".")[0] not in may}
    assert foreign == set()


@pytest.mark.parametrize("module", [module for module in IN_LAYERS if layer(module) in ("phases", "recipes")])
def test_a_phase_does_not_know_which_engine_runs_it(module):
    general = {f"dncsc.engines.{name}" for name in ("base", "frame", "layout", "scales", "seeds")}
    concrete = [source for source in inner_imports(module) if layer(source) == "engines" and source not in general]
    assert concrete == []
    asked = [
        ast.unparse(node)
        for node in ast.walk(TREES[module])
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "type", "hasattr", "getattr")
        if node.args and "engine" in ast.unparse(node.args[0])
    ]
    assert asked == []


def test_only_one_file_of_the_layers_knows_numba():
    knowing = [module for module in IN_LAYERS for source, _ in imports(module) if source.split(".")[0] == "numba"]
    assert set(knowing) == {"dncsc.kernels._jit"}


def kernels_of(tree):
    """Functions under the decorator `jit`."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            called = [each.func if isinstance(each, ast.Call) else each for each in node.decorator_list]
            if any(ast.unparse(each).split(".")[-1] == "jit" for each in called):
                yield node


KERNEL_FILES = [module for module in MODULES if layer(module) == "kernels"]
KERNEL_NAMES = {module: {kernel.name for kernel in kernels_of(TREES[module])} for module in KERNEL_FILES}


def test_kernels_are_found():
    assert "group_rows" in KERNEL_NAMES["dncsc.kernels.grouping"]


@pytest.mark.parametrize("module", KERNEL_FILES)
def test_kernels_know_nothing_but_kernels(module):
    """The cache of compiled kernels looks at their sources alone: it would miss a change anywhere else."""
    assert [source for source in inner_imports(module) if layer(source) != "kernels"] == []


@pytest.mark.parametrize("module", KERNEL_FILES)
def test_kernels_leave_threads_to_the_engine(module):
    options = {word.arg for node in ast.walk(TREES[module]) if isinstance(node, ast.Call) for word in node.keywords}
    assert "parallel" not in options
