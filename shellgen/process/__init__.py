# SPDX-License-Identifier: BSD-3-Clause
"""Programs that do not outlive what started them, however that ends."""
