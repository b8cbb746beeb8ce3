# SPDX-License-Identifier: BSD-3-Clause
"""Rules about the plan: each judges one thing, has a source, and is tested on a mistake and without one."""
