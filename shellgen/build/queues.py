# SPDX-License-Identifier: BSD-3-Clause
"""The batch queues that dask-jobqueue knows, by the word for them in Dask's configuration."""

from __future__ import annotations

QUEUES = {
    "slurm": "SLURMCluster",
    "lsf": "LSFCluster",
    "pbs": "PBSCluster",
    "sge": "SGECluster",
    "htcondor": "HTCondorCluster",
    "oar": "OARCluster",
}
