/* SPDX-License-Identifier: BSD-3-Clause */
/* What shellgen_run.c offers to other programs, and what it asks of an engine. */
#ifndef SHELLGEN_RUN_H
#define SHELLGEN_RUN_H

#include "shellgen_dma.h"
#include "shellgen_turns.h"

#include <signal.h>

#ifndef SHELLGEN_NODE
#define SHELLGEN_NODE (*shellgen_nodes[0])
#endif

enum { SHELLGEN_STREAMS = 120, SHELLGEN_BATCH_BYTES = 1 << 20, SHELLGEN_BUFFERS = 2 };

struct shellgen_engine;

/* The far end of a stream whose frames come or go while they move, and not by the job's data; functions never wait. */
struct shellgen_end {
    void *context;
    uint64_t frames; /* that come, of a stream that enters */
    /* Move what can be moved now: 1 if anything was, 0 if not, -1 with a message. */
    int (*step)(void *context, struct shellgen_error *error);
    /* Tell whether so many frames lie there, or may be given. */
    int (*ready)(void *context, uint32_t frames);
    /* Take them from there, or give them; in memory one begins so many bytes behind another. */
    void (*pass)(void *context, uint8_t *data, uint32_t frames, uint32_t room);
};

/* A run: packed frames of every stream that carries data, by its number; those that leave are filled. */
struct shellgen_job {
    const char *folder; /* of the map's files */
    uint64_t frames;
    uint32_t batch; /* frames of a transfer; 0: chosen */
    double timeout; /* seconds without movement */
    struct shellgen_absent absent;
    uint8_t *data[SHELLGEN_STREAMS];
    const struct shellgen_end *end[SHELLGEN_STREAMS]; /* instead of data, or NULL */
    const struct shellgen_engine *engine; /* NULL: the DMAs of the node */
    /* Who is told how many frames have come through all streams, and what ends the run when it is not 0; or NULL. */
    void (*progress)(void *context, uint64_t done, uint64_t of);
    void *context;
    const volatile sig_atomic_t *stop;
};

/* Files of a job, by stream. */
struct shellgen_files {
    const char *input[SHELLGEN_STREAMS], *output[SHELLGEN_STREAMS], *golden[SHELLGEN_STREAMS];
};

/* One stream between its engine and the job's data. Transfer k uses buffer k modulo their number. */
struct shellgen_pump {
    const struct shellgen_stream *stream;
    uint32_t number; /* of the stream */
    struct shellgen_buffer buffer[SHELLGEN_BUFFERS];
    uint32_t buffers, size;
    uint64_t frames, transfers, started, finished, passed; /* passed: copied to or from the data */
    uint8_t *data;
    const struct shellgen_end *end; /* instead of data, or NULL */
    const struct shellgen_dma *dma; /* of the engine of DMAs */
    uint64_t channel;
};

struct shellgen_run {
    const struct shellgen_node *node;
    const struct shellgen_bus *bus;
    const struct shellgen_memory *memory;
    const struct shellgen_job *job;
    const struct shellgen_engine *engine;
    struct shellgen_buffer taken[4 * SHELLGEN_STREAMS];
    struct shellgen_pump pump[SHELLGEN_STREAMS];
    uint32_t buffers, pumps, batch;
    uint32_t ahead; /* transfers of a stream that may be under way at once */
    struct shellgen_error *error;
};

/* What moves frames between memory and the core. Functions return -1 with a message if something is wrong. */
struct shellgen_engine {
    void *context;
    const char *what; /* it is */
    int exact;        /* no more frames are moved than there are: more would go on to other boards */
    long pause;       /* nanoseconds until it is looked at again */
    /* Tell whether it has this stream. */
    int (*has)(const struct shellgen_node *node, uint32_t stream);
    /* The most frames of a transfer; 0: what the streams say. May set run->ahead. */
    uint32_t (*most)(struct shellgen_run *run);
    /* Leave nothing of an earlier run, set FRAMES_PER_TRANSFER to run->batch, and have a pump for each stream. */
    int (*begin)(struct shellgen_run *run);
    /* Begin the next transfer of a pump. */
    int (*transfer)(struct shellgen_run *run, struct shellgen_pump *pump);
    /* Return how many transfers have ended since it was asked last. */
    int (*finished)(struct shellgen_run *run, struct shellgen_pump *pump);
    /* Describe it for a message. */
    void (*state)(struct shellgen_run *run, const struct shellgen_pump *pump, char *text, size_t size);
    /* Let nothing use a buffer any more. */
    int (*end)(struct shellgen_run *run);
};

/* Move all frames of a job; return 0, or -1 with a message, or 1 with one that names results that are not what they should be. */
int shellgen_run(const struct shellgen_node *node, const struct shellgen_bus *bus, const struct shellgen_memory *memory,
                 const struct shellgen_job *job, struct shellgen_error *error);

/* Run files; return 0, 1 if a golden file differs or results are marked, -1 on an error. A job of 0 frames takes all of them. */
int shellgen_run_files(const struct shellgen_node *node, const struct shellgen_bus *bus,
                       const struct shellgen_memory *memory, struct shellgen_job *job,
                       const struct shellgen_files *files, struct shellgen_error *error);

/* Enter `[STREAM=]PATH` for a stream that enters the core or leaves it (tx); one stream needs no name. */
int shellgen_enter(const struct shellgen_node *node, int tx, const char *text, const char **files,
                   struct shellgen_error *error);

/* ---- for engines */

/* Take a buffer, which is given back after the run. */
static inline int shellgen_take_buffer(struct shellgen_run *run, size_t size, struct shellgen_buffer *buffer)
{
    if (run->buffers == 4 * SHELLGEN_STREAMS || run->memory->allocate(run->memory->context, size, buffer))
        return shellgen_fail(run->error, "no buffer of %zu bytes is left; give more, or --batch less", size);
    run->taken[run->buffers++] = *buffer;
    return 0;
}

/* Set the frames of a transfer, of all streams that the engine has. */
static inline int shellgen_set_batch(struct shellgen_run *run, uint32_t batch)
{
    const struct shellgen_node *node = run->node;
    uint32_t index, found;
    for (index = 0; index < node->streams; index++) {
        uint64_t at = node->status.frames_per_transfer.at + index * node->status.frames_per_transfer.stride;
        if (node->stream[index].weights || !run->engine->has(run->node, index))
            continue;
        if (shellgen_write(run->bus, at, batch, run->error) || shellgen_read(run->bus, at, &found, run->error))
            return -1;
        if (found != batch)
            return shellgen_fail(run->error, "stream %s: FRAMES_PER_TRANSFER is %" PRIu32 " after %" PRIu32 " was written",
                                 node->stream[index].name, found, batch);
    }
    return 0;
}

/* Add a pump for a stream; its engine gives it buffers. */
static inline struct shellgen_pump *shellgen_add_pump(struct shellgen_run *run, uint32_t number)
{
    struct shellgen_pump *pump = &run->pump[run->pumps++];
    memset(pump, 0, sizeof *pump);
    pump->stream = &run->node->stream[number];
    pump->number = number;
    pump->data = run->job->data[number];
    pump->end = run->job->end[number];
    pump->size = run->batch * pump->stream->memory_bytes;
    pump->frames = shellgen_share(run->node, &run->job->absent, number, run->job->frames);
    pump->transfers = (pump->frames + run->batch - 1) / run->batch;
    pump->buffers = pump->transfers > 1 ? SHELLGEN_BUFFERS : 1;
    return pump;
}

/* End a reset, and wait until all of the core is open again. */
static inline int shellgen_release(struct shellgen_run *run)
{
    const struct shellgen_node *node = run->node;
    return shellgen_write(run->bus, node->status.control.at, 0, run->error) ||
           shellgen_wait(run->bus, node->name, node->status.control.at,
                         SHELLGEN_SHELL_STATUS_CONTROL_RESET_MASK | SHELLGEN_SHELL_STATUS_CONTROL_HOLD_MASK,
                         "the reset does not end", run->error);
}

#endif
