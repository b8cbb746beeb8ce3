/* SPDX-License-Identifier: BSD-3-Clause */
/* What shellgen_run.c offers to other programs. */
#ifndef SHELLGEN_RUN_H
#define SHELLGEN_RUN_H

#include "shellgen_dma.h"

#ifndef SHELLGEN_NODE
#define SHELLGEN_NODE (*shellgen_nodes[0])
#endif

enum { SHELLGEN_STREAMS = 120, SHELLGEN_BATCH_BYTES = 1 << 20 };

/* A run: packed frames of every stream that carries data, by its number; those that leave are filled. */
struct shellgen_job {
    const char *folder; /* of the map's files */
    uint64_t frames;
    uint32_t batch; /* frames of a transfer; 0: chosen */
    double timeout; /* seconds without movement */
    uint8_t *data[SHELLGEN_STREAMS];
};

/* Files of a job, by stream. */
struct shellgen_files {
    const char *input[SHELLGEN_STREAMS], *output[SHELLGEN_STREAMS], *golden[SHELLGEN_STREAMS];
};

/* Move all frames of a job; return 0, or -1 with a message. */
int shellgen_run(const struct shellgen_node *node, const struct shellgen_bus *bus, const struct shellgen_memory *memory,
                 const struct shellgen_job *job, struct shellgen_error *error);

/* Run files; return 0, 1 if a golden file differs, -1 on an error. A job of 0 frames takes all of them. */
int shellgen_run_files(const struct shellgen_node *node, const struct shellgen_bus *bus,
                       const struct shellgen_memory *memory, struct shellgen_job *job,
                       const struct shellgen_files *files, struct shellgen_error *error);

#endif
