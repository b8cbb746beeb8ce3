/* SPDX-License-Identifier: BSD-3-Clause */
/* Run frames from .npy through the core of one node, and compare, for the program of a card under Coyote; what shellgen_run.py
 * does with files, in C11. */
#include "shellgen_run.h"

#include "shellgen_npy.h"
#include "shellgen_ring.h"
#include "shellgen_run_dma.h"

/* Copy so many frames of a transfer between buffer and data, or pass them to or from the far end of the stream. */
static void copy(struct shellgen_pump *pump, uint64_t first, uint8_t *at, uint32_t count)
{
    uint32_t bytes = pump->stream->frame_bytes, room = pump->stream->memory_bytes, frame;
    if (pump->end) {
        pump->end->pass(pump->end->context, at, count, room);
        return;
    }
    for (frame = 0; frame < count; frame++) {
        uint8_t *data = pump->data + (first + frame) * bytes, *slot = at + (size_t)frame * room;
        memcpy(pump->stream->tx ? data : slot, pump->stream->tx ? slot : data, bytes);
    }
}

/* Pass a transfer on, 1 if that was possible; what is more than the last frame repeats it, or is dropped. */
static int pass(struct shellgen_run *run, struct shellgen_pump *pump)
{
    const struct shellgen_buffer *buffer = &pump->buffer[pump->passed % pump->buffers];
    uint64_t first = pump->passed * run->batch, left = pump->frames - first;
    uint32_t bytes = pump->stream->frame_bytes, room = pump->stream->memory_bytes, frame;
    uint32_t count = left < run->batch ? (uint32_t)left : run->batch;
    if (pump->end && !pump->end->ready(pump->end->context, count))
        return 0;
    if (pump->stream->tx)
        run->memory->invalidate(run->memory->context, buffer);
    copy(pump, first, buffer->data, count);
    if (!pump->stream->tx) {
        for (frame = 0; frame < run->batch; frame++) {
            uint8_t *slot = buffer->data + (size_t)frame * room;
            if (frame >= count)
                memcpy(slot, buffer->data + (size_t)(count - 1) * room, bytes);
            memset(slot + bytes, 0, room - bytes);
        }
        run->memory->flush(run->memory->context, buffer);
    }
    pump->passed++;
    return 1;
}

/* Go on without waiting: 1 if something has moved, 0 if not, -1 on an error. */
static int step(struct shellgen_run *run, struct shellgen_pump *pump)
{
    int moved = 0, over = pump->started > pump->finished ? run->engine->finished(run, pump) : 0;
    if (over < 0)
        return -1;
    if (over) {
        pump->finished += (uint64_t)over;
        moved = 1;
    }
    if (pump->end) {
        over = pump->end->step(pump->end->context, run->error);
        if (over < 0)
            return -1;
        moved |= over;
    }
    if (pump->started < pump->transfers && pump->started - pump->finished < run->ahead &&
        (pump->stream->tx ? pump->started - pump->passed < pump->buffers : pump->passed > pump->started)) {
        if (run->engine->transfer(run, pump))
            return -1;
        pump->started++;
        moved = 1;
    }
    if (pump->stream->tx ? pump->finished > pump->passed
                         : pump->passed < pump->transfers && pump->passed - pump->finished < pump->buffers)
        moved |= pass(run, pump);
    return moved;
}

static int standstill(struct shellgen_run *run)
{
    char text[128];
    uint32_t index, counted;
    shellgen_fail(run->error, "%s: nothing moved for %g s; if the network is only slow, give --timeout more",
                  run->node->name, run->job->timeout);
    for (index = 0; index < run->pumps; index++) {
        const struct shellgen_pump *pump = &run->pump[index];
        uint64_t at = run->node->status.frames.at + pump->number * run->node->status.frames.stride;
        if (run->bus->read(run->bus->context, at, &counted))
            break;
        run->engine->state(run, pump, text, sizeof text);
        shellgen_add(run->error, "; %s: %" PRIu64 " of %" PRIu64 " transfers, the core counted %" PRIu32 " frames, %s",
                     pump->stream->port, pump->finished, pump->transfers, counted, text);
    }
    return -1;
}

/* Tell how many frames have come through all streams. */
static void tell(const struct shellgen_run *run)
{
    uint64_t least = UINT64_MAX, whole = run->job->frames;
    uint32_t index;
    for (index = 0; run->job->progress && index < run->pumps; index++) {
        const struct shellgen_pump *pump = &run->pump[index];
        uint64_t done = (pump->stream->tx ? pump->passed : pump->finished) * run->batch;
        if (pump->frames < whole)
            done = pump->frames ? done * whole / pump->frames : whole;
        least = done < least ? done : least;
    }
    if (run->job->progress)
        run->job->progress(run->job->context, least < whole ? least : whole, whole);
}

static int move(struct shellgen_run *run)
{
    double last = shellgen_now();
    struct timespec pause = {0, run->engine->pause};
    uint32_t index;
    for (;;) {
        int moved = 0, waiting = 0;
        for (index = 0; index < run->pumps; index++) {
            int result = step(run, &run->pump[index]);
            if (result < 0)
                return -1;
            moved |= result;
            waiting |= run->pump[index].passed < run->pump[index].transfers ||
                       run->pump[index].finished < run->pump[index].transfers;
        }
        tell(run);
        if (!waiting)
            return 0;
        if (run->job->stop && *run->job->stop)
            return shellgen_fail(run->error, "interrupted");
        if (moved)
            last = shellgen_now();
        else if (shellgen_now() - last > run->job->timeout)
            return standstill(run);
        else
            nanosleep(&pause, NULL);
    }
}

/* Name results that are not what they should be: return 1 if there are any. */
static int tell_marked(struct shellgen_run *run, const struct shellgen_stream *stream, uint32_t index)
{
    const struct shellgen_node *node = run->node;
    uint32_t first, last;
    if (shellgen_read(run->bus, node->status.first_marked.at + index * node->status.first_marked.stride, &first, run->error) ||
        shellgen_read(run->bus, node->status.last_marked.at + index * node->status.last_marked.stride, &last, run->error))
        return -1;
    shellgen_fail(run->error, "stream %s: some of the frames %" PRIu32 " to %" PRIu32 " are made of frames that a card has lost "
                  "in a reset; run these frames again", stream->name, first, last);
    return 1;
}

/* Fail if the core has seen a framing error, or counted other frames than were moved. What goes on to other boards has left
 * when this is done: the reset of the next run would cut it. Return 1 if some results are not what they should be. */
static int verify(struct shellgen_run *run)
{
    const struct shellgen_node *node = run->node;
    uint32_t index, flags, counted, marked = UINT32_MAX;
    uint64_t sent, all = (run->job->frames + run->batch - 1) / run->batch * run->batch;
    double end = shellgen_now() + run->job->timeout;
    for (index = 0; index < node->streams; index++) {
        const struct shellgen_stream *stream = &node->stream[index];
        int ours = run->engine->has(run->node, index);
        if (shellgen_read(run->bus, node->status.flags.at + index * node->status.flags.stride, &flags, run->error))
            return -1;
        if (flags & ~SHELLGEN_SHELL_STATUS_FLAGS_MARKED_MASK)
            return shellgen_fail(run->error, "stream %s: the core saw framing errors, flags %#" PRIx32, stream->name, flags);
        if (flags)
            marked = index;
        if (stream->weights || !(ours || stream->tx))
            continue;
        sent = shellgen_share(node, &run->job->absent, index, all);
        do { /* beats that were moved are not yet a frame */
            if (shellgen_read(run->bus, node->status.frames.at + index * node->status.frames.stride, &counted, run->error))
                return -1;
        } while (counted < (uint32_t)sent && shellgen_now() < end && !(run->job->stop && *run->job->stop));
        if (counted < (uint32_t)sent && run->job->stop && *run->job->stop)
            return shellgen_fail(run->error, "interrupted");
        if (ours ? counted != (uint32_t)sent : counted < (uint32_t)sent)
            return shellgen_fail(run->error, "stream %s: the core counted %" PRIu32 " frames, and %" PRIu64 " were moved",
                                 stream->name, counted, sent);
    }
    return marked < node->streams ? tell_marked(run, &node->stream[marked], marked) : 0;
}

static int choose_batch(struct shellgen_run *run)
{
    const struct shellgen_job *job = run->job;
    uint32_t index, most, fits = UINT32_MAX, limit = run->engine->most(run);
    uint64_t transfers;
    for (most = limit ? limit : UINT32_MAX, index = 0; index < run->node->streams; index++) {
        const struct shellgen_stream *stream = &run->node->stream[index];
        uint32_t bit;
        if (stream->weights || !run->engine->has(run->node, index))
            continue;
        if (shellgen_shared(run->node, index, &bit))
            most = 1; /* a gather waits for one replica while another holds back a transfer */
        most = stream->most_frames < most ? stream->most_frames : most;
        if (SHELLGEN_BATCH_BYTES / stream->memory_bytes < fits)
            fits = SHELLGEN_BATCH_BYTES / stream->memory_bytes;
    }
    if (job->batch > most)
        return shellgen_fail(run->error, "--batch %" PRIu32 ": node %s takes 1 to %" PRIu32 " frames in a transfer",
                             job->batch, run->node->name, most);
    run->batch = job->batch ? job->batch : fits ? fits : 1;
    run->batch = run->batch < most ? run->batch : most;
    if (run->engine->exact) {
        run->batch = run->batch < job->frames ? run->batch : (uint32_t)job->frames;
        if (job->batch && job->frames % run->batch)
            return shellgen_fail(run->error, "--batch %" PRIu32 ": of %" PRIu64 " frames it leaves %" PRIu64
                                 "; node %s takes what divides them",
                                 job->batch, job->frames, job->frames % run->batch, run->node->name);
        while (job->frames % run->batch)
            run->batch--;
        return 0;
    }
    /* The same in all transfers, so that the last has little in it for nothing. */
    transfers = (job->frames + run->batch - 1) / run->batch;
    run->batch = (uint32_t)((job->frames + transfers - 1) / transfers);
    return 0;
}

int shellgen_run(const struct shellgen_node *node, const struct shellgen_bus *bus, const struct shellgen_memory *memory,
                 const struct shellgen_job *job, struct shellgen_error *error)
{
    struct shellgen_run *run = (struct shellgen_run *)calloc(1, sizeof *run);
    const struct shellgen_engine *engine = job->engine ? job->engine : shellgen_dmas();
    struct shellgen_error other = {""};
    uint32_t index, streams = 0;
    int result;
    error->text[0] = '\0';
    if (!run)
        return shellgen_fail(error, "no memory");
    run->node = node;
    run->bus = bus;
    run->memory = memory;
    run->job = job;
    run->engine = engine;
    run->ahead = 1;
    run->error = error;
    for (index = 0; index < node->streams; index++)
        streams += engine->has(node, index) != 0;
    if (node->streams > SHELLGEN_STREAMS || !streams || !job->frames) {
        free(run);
        return shellgen_fail(error, "node %s: there are no %s or no frames", node->name, engine->what);
    }
    if (shellgen_check_absent(node, &job->absent, error) || choose_batch(run) || shellgen_check(node, bus, error)) {
        free(run);
        return -1;
    }
    /* Where the shell has the memory, nothing may be reset before the engine has fetched what it holds: `begin` arms them. */
    result = (!memory->take && shellgen_arm_rings(run)) || shellgen_take_out(node, bus, &job->absent, 0, error) || engine->begin(run) ||
                     shellgen_take_out(node, bus, &job->absent, 1, error) || move(run) || shellgen_check_rings(run) ? -1 : verify(run);
    if (result)
        run->error = &other; /* the first error is the one to be told */
    if (engine->end(run) || shellgen_disarm_rings(run)) { /* before the buffers are anybody else's */
        if (result)
            shellgen_add(error, "; %s", other.text);
        result = -1;
    } else {
        while (run->buffers)
            memory->release(memory->context, &run->taken[--run->buffers]);
    }
    free(run);
    return result;
}

/* Compare with a golden file; 1 if something differs, and the message says where. */
static int compare(const struct shellgen_stream *stream, const uint8_t *data, uint64_t frames, const char *path,
                   struct shellgen_error *error)
{
    struct shellgen_npy npy;
    uint64_t at;
    int result = shellgen_read_npy(&npy, path, stream->elements, error), whole;
    if (!result && npy.frames < frames)
        result = shellgen_fail(error, "%s: it has %" PRIu64 " frames, and %" PRIu64 " were sent", path, npy.frames, frames);
    for (at = 0; !result && at < frames * stream->elements; at++) {
        int64_t got = shellgen_unpack(stream, data, at / stream->elements, at % stream->elements);
        int64_t want = shellgen_npy_value(&npy, at, &whole);
        if (!whole || got != want) {
            shellgen_fail(error, "%s differs from %s, first at frame %" PRIu64 ", element %" PRIu64 ": got %" PRId64
                          ", expected %" PRId64, stream->name, path, at / stream->elements, at % stream->elements, got, want);
            result = 1;
        }
    }
    free(npy.data);
    return result;
}

int shellgen_run_files(const struct shellgen_node *node, const struct shellgen_bus *bus,
                       const struct shellgen_memory *memory, struct shellgen_job *job,
                       const struct shellgen_files *files, struct shellgen_error *error)
{
    const struct shellgen_engine *engine = job->engine ? job->engine : shellgen_dmas();
    uint64_t asked = job->frames;
    uint32_t index;
    int result = 0, leaves;
    error->text[0] = '\0';
    memset(job->data, 0, sizeof job->data);
    for (leaves = 0; leaves < 2 && !result; leaves++) /* what enters tells how many frames there are */
        for (index = 0; index < node->streams && !result; index++) {
            const struct shellgen_stream *stream = &node->stream[index];
            struct shellgen_npy npy = {0, 0, 0, 0, NULL};
            uint64_t share;
            uint32_t bit;
            if (stream->weights || stream->tx != leaves || !engine->has(node, index) || job->end[index] ||
                (!leaves && !files->input[index] && shellgen_away(node, &job->absent, index)))
                continue;
            if (stream->bits > 63)
                result = shellgen_fail(error, "stream %s: elements of more than 63 bits", stream->name);
            else if (!leaves && !files->input[index])
                result = shellgen_fail(error, "nothing feeds %s (%s): give --input", stream->port, stream->name);
            else if (!leaves)
                result = shellgen_read_npy(&npy, files->input[index], stream->elements, error);
            if (!result && !leaves && !job->frames && !shellgen_shared(node, index, &bit))
                job->frames = npy.frames;
            if (!result && !job->frames)
                result = shellgen_fail(error, "no stream tells how many frames enter node %s: give --frames", node->name);
            share = shellgen_share(node, &job->absent, index, job->frames);
            if (!result && !leaves && (npy.frames < share || (!asked && npy.frames != share)))
                result = shellgen_fail(error, "%s: it has %" PRIu64 " frames, and %" PRIu64 " are sent", files->input[index],
                                       npy.frames, share);
            if (!result)
                job->data[index] = (uint8_t *)calloc(share ? (size_t)share : 1, stream->frame_bytes);
            if (!result && !job->data[index])
                result = shellgen_fail(error, "no memory for %" PRIu64 " frames", share);
            if (!result && !leaves)
                result = shellgen_pack(stream, &npy, share, job->data[index], files->input[index], error);
            free(npy.data);
        }
    if (!result)
        result = shellgen_run(node, bus, memory, job, error);
    for (index = 0; index < node->streams; index++) {
        const struct shellgen_stream *stream = &node->stream[index];
        uint64_t share = shellgen_share(node, &job->absent, index, job->frames);
        if (result >= 0 && files->output[index] &&
            shellgen_write_npy(stream, job->data[index], share, files->output[index], error))
            result = -1;
        if (!result && files->golden[index])
            result = compare(stream, job->data[index], share, files->golden[index], error);
    }
    for (index = 0; index < node->streams; index++)
        free(job->data[index]);
    return result;
}
int shellgen_enter(const struct shellgen_node *node, int tx, const char *text, const char **files,
                   struct shellgen_error *error)
{
    const char *equals = strchr(text, '=');
    uint32_t index, only = 0, count = 0;
    for (index = 0; index < node->streams; index++) {
        const struct shellgen_stream *stream = &node->stream[index];
        const char *names[2];
        int name;
        if (stream->tx != tx || stream->weights)
            continue;
        names[0] = stream->port;
        names[1] = stream->name;
        for (name = 0; equals && name < 2; name++)
            if (strlen(names[name]) == (size_t)(equals - text) && strncmp(names[name], text, strlen(names[name])) == 0) {
                files[index] = equals + 1;
                return 0;
            }
        only = index;
        count++;
    }
    if (count != 1)
        return shellgen_fail(error, "%s: give it as STREAM=FILE", text);
    files[only] = text;
    return 0;
}
