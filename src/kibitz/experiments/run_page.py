"""A stored run as one page: for `kibitz report` and the web table."""

from __future__ import annotations

import time
from typing import Any

from kibitz.core.public import public_command
from kibitz.experiments.experiment import Experiment
from kibitz.runs.store import Run, understood

DATED = "%Y-%m-%d %H:%M UTC"


def page_of(run: Run, experiment: Experiment[Any], found: Any) -> str:
    """The page of a run, without the folders of this machine."""
    from kibitz.report.page import PageSettings  # brings matplotlib

    settings = PageSettings(public_command(run.command), run.version, time.strftime(DATED, time.gmtime(run.started)), run.id)
    with understood(run):
        return experiment.page(found, settings)
