"""Playing: the loop, line-ups and seats, games step by step, their records, explanations and advice.

`kibitz.play` is this package and, called, the function of that name: `kibitz.play(["mix2", "random"])`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _CallablePackage(ModuleType):
    def __call__(self, *args: Any, **options: Any) -> Any:
        from kibitz.play.game import play

        return play(*args, **options)


sys.modules[__name__].__class__ = _CallablePackage
