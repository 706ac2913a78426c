"""Each layer imports only from those below it; kernels call only kernels of their own file."""

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
    "pipeline",
    "checkpoint",
    "model_file",
    "budget",
    "estimators",
]
BESIDE = {"metrics": [], "datasets": ["dncsc.engines.seeds", "dncsc.suggest"]}
"""What stands beside the layers, and what of them it may use."""

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
    """Name of the layer, or of what stands beside; None for what stands above all (demo, plots, the package itself)."""
    part = [*module.split("."), ""][1]
    return part if part in (*LAYERS, *BESIDE) else None


def rank(module):
    return LAYERS.index(layer(module)) if layer(module) in LAYERS else len(LAYERS)


IN_LAYERS = [module for module in MODULES if layer(module) in LAYERS]


def test_every_layer_has_files():
    assert {layer(module) for module in IN_LAYERS} == set(LAYERS)


@pytest.mark.parametrize("module", IN_LAYERS)
def test_a_layer_imports_only_from_itself_and_those_below(module):
    upward = [source for source in inner_imports(module) if layer(source) not in LAYERS or rank(source) > rank(module)]
    assert upward == []


@pytest.mark.parametrize("module", [module for module in MODULES if layer(module) in BESIDE])
def test_what_stands_beside_the_layers_leaves_them_alone(module):
    own = layer(module)
    foreign = [source for source in inner_imports(module) if layer(source) != own and source not in BESIDE[own]]
    assert foreign == []


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
def test_a_kernel_calls_only_kernels_of_its_own_file(module):
    """Numba's cache looks at the file of the outer kernel alone: it would miss a change of the inner one elsewhere."""
    foreign = {name for source, name in imports(module) if name in KERNEL_NAMES.get(source, ())}
    foreign_modules = {source for source, name in imports(module) if name is None and KERNEL_NAMES.get(source)}
    used = [
        f"{kernel.name} uses {node.id}"
        for kernel in kernels_of(TREES[module])
        for node in ast.walk(kernel)
        if isinstance(node, ast.Name) and node.id in foreign
    ]
    assert used == []
    assert foreign_modules == set()


@pytest.mark.parametrize("module", KERNEL_FILES)
def test_kernels_leave_threads_to_the_engine(module):
    options = {word.arg for node in ast.walk(TREES[module]) if isinstance(node, ast.Call) for word in node.keywords}
    assert "parallel" not in options
