# SPDX-License-Identifier: BSD-3-Clause
"""Hooks of all tests: run_hooks.py, which mypy checks. It refuses two files of the name conftest.py."""

from run_hooks import (  # noqa: F401 - pytest looks for them here
    no_kept_plan,
    no_report_of_another_session,
    no_translations,
    pytest_collection_finish,
    pytest_runtest_makereport,
    pytest_runtest_setup,
    pytest_terminal_summary,
    short_compilations,
)
