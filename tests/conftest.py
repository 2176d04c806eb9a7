"""Settings for every test: hypothesis tries the same examples each time, however long one takes."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("kibitz", deadline=None, derandomize=True, database=None)
settings.load_profile("kibitz")
