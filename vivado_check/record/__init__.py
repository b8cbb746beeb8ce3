# SPDX-License-Identifier: BSD-3-Clause
"""A session of Vivado as a record: what each command asks for, without knowledge of any IP."""
