"""The rules once more, slow and obvious, for tests to compare with."""

import pytest

pytest.register_assert_rewrite("tests.reference.pair")
