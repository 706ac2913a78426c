"""Parameters that are declared, not written down three times."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Any:
        return lambda cls: cls


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
class Declared:
    """Base of classes whose annotated attributes are parameters, which `__init__` takes as keywords and sets.

    In its signature, parameters that a class declares itself come before those that it inherits.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = inspect.get_annotations(cls)
        if "__init__" in vars(cls) or not own:
            return
        dataclass(eq=False, repr=False, kw_only=True)(cls)
        init = inspect.signature(cls.__init__)
        by_name = dict(init.parameters)
        first = [name for name, each in by_name.items() if each.kind is not inspect.Parameter.KEYWORD_ONLY]
        order = dict.fromkeys([*first, *(name for name in own if name in by_name), *by_name])
        signature = init.replace(parameters=[by_name[name] for name in order])
        cls.__init__.__signature__ = signature  # type: ignore[attr-defined]
