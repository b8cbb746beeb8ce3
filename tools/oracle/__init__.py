# SPDX-License-Identifier: BSD-3-Clause
"""Real block designs as a touchstone: public scripts are run, and what is recorded is compared with them.

Nothing is fetched, and no third-party file is kept: `list.toml` names repositories, commits and paths, and
`make oracle CHECKOUTS=folder` reads checkouts of them, each at ``<owner>+<name>``.
"""
