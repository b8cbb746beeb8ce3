# SPDX-License-Identifier: BSD-3-Clause
"""Rules: each judges one thing, has a source, and is tested on a mistake and on what is right."""
