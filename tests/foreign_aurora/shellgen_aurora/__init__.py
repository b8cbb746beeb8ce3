# SPDX-License-Identifier: BSD-3-Clause
"""Aurora 64B/66B between boards with a Zynq UltraScale+."""
