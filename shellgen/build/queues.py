# SPDX-License-Identifier: BSD-3-Clause
"""The batch queues of dask-jobqueue, by their keys in Dask's configuration."""

from __future__ import annotations

QUEUES = {
    "slurm": "SLURMCluster",
    "lsf": "LSFCluster",
    "pbs": "PBSCluster",
    "sge": "SGECluster",
    "htcondor": "HTCondorCluster",
    "oar": "OARCluster",
}
