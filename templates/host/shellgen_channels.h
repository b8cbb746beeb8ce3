/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine of cards that run Coyote: transfers through its host streams, by shellgen_coyote.h.
 *
 * Coyote takes a transfer to the host when so many bytes have come, and holds what comes before it is asked for. Neither
 * can be reset by the host. So a run begins with a reset by CONTROL, which brings every transfer that has begun to its
 * end; what an earlier run has left is fetched and dropped; and a frame of zeros goes through the network. A run that
 * failed ends in the same way, so that no transfer waits for memory that is given back.
 */
#ifndef SHELLGEN_CHANNELS_H
#define SHELLGEN_CHANNELS_H

#include "shellgen_coyote.h"
#include "shellgen_ring.h"

#include <sched.h>

#define SHELLGEN_RELOAD "reload the shell of Coyote"

enum {
    SHELLGEN_LOOKS = 50, /* at streams that may bring a frame, until they count as quiet */
    SHELLGEN_PAGE = 4096,
    SHELLGEN_THREAD = 48, /* bits of a virtual address, below the number of a thread */
    SHELLGEN_WINDOW = 65536 /* bytes of registers that Coyote maps */
};
static const double SHELLGEN_QUIET = 0.01;  /* seconds, as LOOKS */
static const double SHELLGEN_SECONDS = 1.0; /* for what the core brings to its end */

/* One stream: what was begun, what has ended, and what the last transfer was. */
struct shellgen_way {
    const struct shellgen_channel *channel; /* NULL: the stream is not the host's */
    int tx;
    uint64_t begun, ended;
    uint32_t counted, bytes;
    uint8_t *data, *scratch;
};

struct shellgen_channels {
    struct shellgen_engine engine;
    struct shellgen_coyote *coyote;
    struct shellgen_way way[SHELLGEN_STREAMS];
    uint32_t gives, takes; /* streams into the core, and out of it */
    int told;              /* that there are no huge pages */
};

static inline int shellgen_channels_has(const struct shellgen_node *node, uint32_t stream)
{
    uint32_t index;
    for (index = 0; index < node->channels; index++)
        if (node->channel[index].stream == stream)
            return 1;
    return 0;
}

static inline struct shellgen_channels *shellgen_channels_of(struct shellgen_run *run)
{
    return (struct shellgen_channels *)run->engine->context;
}

/* What only takes cannot end a transfer that waits for more than the next frame. */
static inline uint32_t shellgen_channels_most(struct shellgen_run *run)
{
    struct shellgen_channels *channels = shellgen_channels_of(run);
    run->ahead = channels->gives ? SHELLGEN_BUFFERS : 1;
    return channels->gives ? 0 : 1;
}

/* Begin a transfer. */
static inline int shellgen_way_begin(struct shellgen_run *run, struct shellgen_way *way, uint8_t *data, uint32_t bytes)
{
    char text[512] = "";
    if (shellgen_coyote_begin(shellgen_channels_of(run)->coyote, way->channel->dest, way->tx, data, bytes, text,
                              sizeof text))
        return shellgen_fail(run->error, "%s: host stream %u: %s", run->node->name, (unsigned)way->channel->dest, text);
    way->data = data;
    way->bytes = bytes;
    way->begun++;
    return 0;
}

/* Return how many transfers have ended since it was asked last. */
static inline int shellgen_way_look(struct shellgen_run *run, struct shellgen_way *way)
{
    char text[512] = "";
    uint32_t count, more;
    if (shellgen_coyote_ended(shellgen_channels_of(run)->coyote, way->channel->dest, way->tx, &count, text, sizeof text))
        return shellgen_fail(run->error, "%s: host stream %u: %s", run->node->name, (unsigned)way->channel->dest, text);
    more = count - way->counted;
    if (more > way->begun - way->ended)
        return shellgen_fail(run->error, "%s: host stream %u: Coyote tells of %" PRIu32 " transfers too many; "
                             SHELLGEN_RELOAD, run->node->name, (unsigned)way->channel->dest,
                             more - (uint32_t)(way->begun - way->ended));
    way->counted = count;
    way->ended += more;
    return (int)more;
}

/* Wait until no transfer is under way: 1 if that is so, 0 if it took too long, -1 on an error. */
static inline int shellgen_channels_rest(struct shellgen_run *run, double seconds)
{
    struct shellgen_channels *channels = shellgen_channels_of(run);
    double end = shellgen_now() + seconds;
    uint32_t index;
    for (;;) {
        int busy = 0;
        for (index = 0; index < run->node->streams; index++) {
            struct shellgen_way *way = &channels->way[index];
            if (!way->channel || way->begun == way->ended)
                continue;
            if (shellgen_way_look(run, way) < 0)
                return -1;
            busy |= way->begun != way->ended;
        }
        if (!busy)
            return 1;
        if (shellgen_now() > end)
            return 0;
        sched_yield();
    }
}

static inline int shellgen_channels_control(struct shellgen_run *run, uint32_t value)
{
    return shellgen_write(run->bus, run->node->status.control.at, value, run->error);
}

/* Tell whether a reset is under way; force it where a receiver has waited too long for beats that never come. */
static inline int shellgen_channels_resets(struct shellgen_run *run, double began)
{
    uint32_t found;
    if (shellgen_read(run->bus, run->node->status.control.at, &found, run->error))
        return -1;
    if (!(found & SHELLGEN_SHELL_STATUS_CONTROL_RESET_MASK))
        return 0;
    if (shellgen_now() - began > SHELLGEN_SECONDS &&
        (shellgen_channels_control(run, SHELLGEN_SHELL_STATUS_CONTROL_HOLD_MASK) || shellgen_release(run)))
        return -1;
    return 1;
}

/* Ask for a reset, wait for its end, and fetch what comes, until nothing has come for so long. */
static inline int shellgen_channels_settle(struct shellgen_run *run, double quiet)
{
    struct shellgen_channels *channels = shellgen_channels_of(run);
    double began = shellgen_now(), last = began;
    uint32_t index, looks = 0;
    while (looks < SHELLGEN_LOOKS || shellgen_now() - last < quiet) {
        int moved = shellgen_channels_resets(run, began);
        for (index = 0; moved >= 0 && index < run->node->streams; index++) {
            struct shellgen_way *way = &channels->way[index];
            int ended = way->channel && way->tx ? shellgen_way_look(run, way) : 0;
            if (ended < 0 || (ended && shellgen_way_begin(run, way, way->data, way->bytes)))
                return -1;
            moved |= ended;
        }
        if (moved < 0)
            return -1;
        looks++;
        if (moved) {
            looks = 0;
            last = shellgen_now();
        }
        if (shellgen_now() - began > SHELLGEN_SECONDS + quiet + run->job->timeout)
            return shellgen_fail(run->error, "%s: it does not come to rest: do other cards send? If not, "
                                 SHELLGEN_RELOAD, run->node->name);
        sched_yield();
    }
    return 0;
}

/* Send zeros into every stream that rests, a frame each, or as much as was sent last if anything was. */
static inline int shellgen_channels_zeros(struct shellgen_run *run, int one_frame)
{
    struct shellgen_channels *channels = shellgen_channels_of(run);
    uint32_t index;
    for (index = 0; index < run->node->streams; index++) {
        struct shellgen_way *way = &channels->way[index];
        int scratch = one_frame || !way->data;
        uint32_t bytes = scratch ? run->node->stream[index].memory_bytes : way->bytes;
        uint8_t *data = scratch ? way->scratch : way->data;
        if (!way->channel || way->tx || way->begun != way->ended)
            continue;
        memset(data, 0, bytes);
        if (shellgen_way_begin(run, way, data, bytes))
            return -1;
    }
    return 0;
}

/* Send a frame of zeros through the network; tell how long it took until all streams rest. */
static inline int shellgen_channels_through(struct shellgen_run *run, double *seconds)
{
    double began = shellgen_now();
    int rests;
    if (shellgen_channels_zeros(run, 1) || (rests = shellgen_channels_rest(run, run->job->timeout)) < 0)
        return -1;
    *seconds = shellgen_now() - began;
    if (rests)
        return 0;
    return shellgen_fail(run->error, "%s: no result of a frame of zeros within %g s: are all cards brought up? If so, "
                         SHELLGEN_RELOAD, run->node->name, run->job->timeout);
}

/* Fetch one frame from every stream out of the core; nobody looks at it. */
static inline int shellgen_channels_fetch(struct shellgen_run *run)
{
    struct shellgen_channels *channels = shellgen_channels_of(run);
    uint32_t index;
    for (index = 0; index < run->node->streams; index++) {
        struct shellgen_way *way = &channels->way[index];
        if (way->channel && way->tx && shellgen_way_begin(run, way, way->scratch, run->node->stream[index].memory_bytes))
            return -1;
    }
    return 0;
}

/* One piece of memory for all buffers of a stream. */
static inline int shellgen_channels_memory(struct shellgen_run *run, struct shellgen_pump *pump)
{
    struct shellgen_channels *channels = shellgen_channels_of(run);
    struct shellgen_way *way = &channels->way[pump->number];
    size_t step = (pump->size + (size_t)SHELLGEN_PAGE - 1) / SHELLGEN_PAGE * SHELLGEN_PAGE, bytes = step * (pump->buffers + 1);
    char text[512] = "";
    uint32_t index;
    uint8_t *data = (uint8_t *)shellgen_coyote_memory(channels->coyote, way->channel->dest, bytes, 1, text, sizeof text);
    if (!data) {
        if (!channels->told)
            fprintf(stderr, "%s: no huge pages (%s), so ordinary ones, which are slower; vm.nr_hugepages says how many "
                    "there are\n", run->node->name, text);
        channels->told = 1;
        data = (uint8_t *)shellgen_coyote_memory(channels->coyote, way->channel->dest, bytes, 0, text, sizeof text);
    }
    if (!data)
        return shellgen_fail(run->error, "%s: no memory of %zu bytes for stream %s: %s; give --batch less",
                             run->node->name, bytes, pump->stream->name, text);
    memset(data, 0, bytes);
    for (index = 0; index < pump->buffers; index++) {
        pump->buffer[index].data = data + step * index;
        pump->buffer[index].size = pump->size;
    }
    way->scratch = data + step * pump->buffers;
    return 0;
}

/* Where nothing is sent, the first transfers wait while what is left over is dropped. */
static inline int shellgen_channels_arm(struct shellgen_run *run)
{
    uint32_t index;
    for (index = 0; index < run->pumps; index++) {
        struct shellgen_pump *pump = &run->pump[index];
        if (shellgen_way_begin(run, &shellgen_channels_of(run)->way[pump->number], pump->buffer[0].data, pump->size))
            return -1;
        pump->started = 1;
    }
    return 0;
}

static inline int shellgen_channels_begin(struct shellgen_run *run)
{
    struct shellgen_channels *channels = shellgen_channels_of(run);
    uint32_t index;
    double seconds;
    int tx, dropped;
    for (tx = 1; tx >= 0; tx--) /* what takes comes first */
        for (index = 0; index < run->node->streams; index++)
            if (channels->way[index].channel && channels->way[index].tx == tx &&
                shellgen_channels_memory(run, shellgen_add_pump(run, index)))
                return -1;
    if (shellgen_set_batch(run, 1) || (channels->gives ? shellgen_channels_fetch(run) : shellgen_channels_arm(run)) ||
        shellgen_channels_control(run, SHELLGEN_SHELL_STATUS_CONTROL_RESET_MASK) ||
        shellgen_channels_settle(run, SHELLGEN_QUIET) || shellgen_arm_rings(run))
        return -1;
    if (channels->gives && channels->takes) {
        if (shellgen_channels_through(run, &seconds))
            return -1;
        /* What goes through other cards twice, since what they were working on may come late. */
        if (channels->engine.exact &&
            (shellgen_channels_fetch(run) ||
             shellgen_channels_settle(run, 4 * seconds > SHELLGEN_QUIET ? 4 * seconds : SHELLGEN_QUIET) ||
             shellgen_channels_through(run, &seconds)))
            return -1;
    }
    for (dropped = index = 0; index < run->node->streams; index++)
        dropped |= channels->way[index].ended != 0;
    if (dropped && shellgen_channels_control(run, SHELLGEN_SHELL_STATUS_CONTROL_CLEAR_MASK))
        return -1;
    return shellgen_set_batch(run, run->batch);
}

static inline int shellgen_channels_transfer(struct shellgen_run *run, struct shellgen_pump *pump)
{
    return shellgen_way_begin(run, &shellgen_channels_of(run)->way[pump->number],
                              pump->buffer[pump->started % pump->buffers].data, pump->size);
}

static inline int shellgen_channels_finished(struct shellgen_run *run, struct shellgen_pump *pump)
{
    return shellgen_way_look(run, &shellgen_channels_of(run)->way[pump->number]);
}

static inline void shellgen_channels_state(struct shellgen_run *run, const struct shellgen_pump *pump, char *text,
                                           size_t size)
{
    const struct shellgen_way *way = &shellgen_channels_of(run)->way[pump->number];
    snprintf(text, size, "host stream %u %s", (unsigned)way->channel->dest, way->begun == way->ended ? "rests" : "waits");
}

/* End transfers that are under way. */
static inline int shellgen_channels_end(struct shellgen_run *run)
{
    struct shellgen_channels *channels = shellgen_channels_of(run);
    double began;
    int resets, turn, rests = shellgen_channels_rest(run, 0);
    if (rests)
        return rests < 0 ? -1 : 0;
    began = shellgen_now();
    if (shellgen_channels_control(run, SHELLGEN_SHELL_STATUS_CONTROL_RESET_MASK))
        return -1;
    while ((resets = shellgen_channels_resets(run, began)) > 0)
        sched_yield();
    rests = resets < 0 ? -1 : shellgen_channels_rest(run, SHELLGEN_SECONDS);
    /* Transfers of which nothing has come get the results of zeros. */
    for (turn = 0; !rests && turn < SHELLGEN_BUFFERS && channels->gives && channels->takes; turn++)
        rests = shellgen_channels_zeros(run, 0) ? -1 : shellgen_channels_rest(run, SHELLGEN_SECONDS);
    if (rests >= 0 && shellgen_channels_control(run, SHELLGEN_SHELL_STATUS_CONTROL_RESET_MASK))
        return -1;
    if (!rests)
        return shellgen_fail(run->error, "a transfer still waits in Coyote: " SHELLGEN_RELOAD);
    return rests < 0 ? -1 : 0;
}

/* Memory for a ring: an address of the core is a thread and a virtual address. */
static inline int shellgen_channels_take(void *context, const char *bank, size_t size, struct shellgen_buffer *buffer,
                                         char *text, size_t length)
{
    struct shellgen_channels *channels = (struct shellgen_channels *)context;
    const int card = strcmp(bank, "card") == 0;
    uint32_t thread = 0;
    void *data = shellgen_coyote_ring(channels->coyote, card, size, 1, &thread, text, length);
    if (!data)
        data = shellgen_coyote_ring(channels->coyote, card, size, 0, &thread, text, length);
    if (!data)
        return -1;
    buffer->data = (uint8_t *)data;
    buffer->size = size;
    buffer->address = (uint64_t)thread << SHELLGEN_THREAD | ((uint64_t)(uintptr_t)data & (UINT64_MAX >> (64 - SHELLGEN_THREAD)));
    return 0;
}

static inline void shellgen_channels_nothing(void *context, const struct shellgen_buffer *buffer)
{
    (void)context;
    (void)buffer;
}

/* Make an engine of the channels of a node; Coyote's memory is coherent, and given back when the vFPGA is closed. */
static inline void shellgen_make_channels(struct shellgen_channels *channels, struct shellgen_memory *memory,
                                          struct shellgen_coyote *coyote, const struct shellgen_node *node)
{
    const struct shellgen_engine engine = {channels,
                                           "streams of the host",
                                           node->channels < node->streams,
                                           0,
                                           shellgen_channels_has,
                                           shellgen_channels_most,
                                           shellgen_channels_begin,
                                           shellgen_channels_transfer,
                                           shellgen_channels_finished,
                                           shellgen_channels_state,
                                           shellgen_channels_end};
    const struct shellgen_memory rings = {channels, NULL, shellgen_channels_nothing, shellgen_channels_nothing,
                                          shellgen_channels_nothing, shellgen_channels_take};
    uint32_t index;
    memset(channels, 0, sizeof *channels);
    channels->engine = engine;
    channels->coyote = coyote;
    *memory = rings;
    for (index = 0; index < node->channels; index++) {
        struct shellgen_way *way = &channels->way[node->channel[index].stream];
        way->channel = &node->channel[index];
        way->tx = node->stream[node->channel[index].stream].tx;
        channels->gives += !way->tx;
        channels->takes += way->tx != 0;
    }
}

static inline int shellgen_coyote_bus_read(void *context, uint64_t address, uint32_t *value)
{
    char text[512];
    uint64_t found;
    if (address % 8 || address >= SHELLGEN_WINDOW ||
        shellgen_coyote_read((struct shellgen_coyote *)context, (uint32_t)(address / 8), &found, text,
                                            sizeof text))
        return -1;
    *value = (uint32_t)found;
    return 0;
}

static inline int shellgen_coyote_bus_write(void *context, uint64_t address, uint32_t value)
{
    char text[512];
    return address % 8 || address >= SHELLGEN_WINDOW
               ? -1
               : shellgen_coyote_write((struct shellgen_coyote *)context, (uint32_t)(address / 8), value, text,
                                               sizeof text);
}

#endif
