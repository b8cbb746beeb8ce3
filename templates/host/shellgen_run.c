/* SPDX-License-Identifier: BSD-3-Clause */
/* Run frames from .npy through the core of one node, and compare; what shellgen_run.py does with files, in C11. run_<node>.c
 * includes this file:
 *
 *   cc -std=c11 -O2 -Ized0 host/run_zed0.c -o run_zed0
 *   ./run_zed0 --input x.npy --output y.npy --golden golden.npy
 *
 * Run it in the generated folder, where the map's files of weights are, or say --folder. Buffers come from u-dma-buf,
 * registers through /dev/mem. With SHELLGEN_NO_MAIN defined, only the functions are there: give them a bus and
 * memory of your own.
 */
#include "shellgen_run.h"

#include "shellgen_npy.h"

/* One stream between its DMA and the job's data. Transfer k uses buffer k modulo their number. */
struct pump {
    const struct shellgen_stream *stream;
    const struct shellgen_dma *dma;
    struct shellgen_buffer buffer[2];
    uint64_t channel, transfers, started, finished, passed; /* passed: copied to or from the data */
    uint32_t buffers, size;
    uint8_t *data;
    int busy;
};

struct run {
    const struct shellgen_node *node;
    const struct shellgen_bus *bus;
    const struct shellgen_memory *memory;
    const struct shellgen_job *job;
    struct shellgen_buffer taken[4 * SHELLGEN_STREAMS];
    struct pump pump[SHELLGEN_STREAMS];
    uint32_t buffers, pumps, batch;
    struct shellgen_error *error;
};

static int take_buffer(struct run *run, size_t size, struct shellgen_buffer *buffer)
{
    if (run->buffers == 4 * SHELLGEN_STREAMS || run->memory->allocate(run->memory->context, size, buffer))
        return shellgen_fail(run->error, "no buffer of %zu bytes is left; give more, or --batch less", size);
    run->taken[run->buffers++] = *buffer;
    return 0;
}

/* Hold the core in reset and reset the DMAs; then let go. Nothing of an earlier run is left, whatever ended it. */
static int reset_all(struct run *run, int sets_batch)
{
    const struct shellgen_node *node = run->node;
    uint32_t index, found;
    if (shellgen_write(run->bus, node->status.control.at, SHELLGEN_SHELL_STATUS_CONTROL_HOLD_MASK, run->error))
        return -1;
    for (index = 0; index < node->dmas; index++)
        if (shellgen_reset_dma(run->bus, &node->dma[index], run->error))
            return -1;
    /* Now, because a layer that pads begins a frame before any has come. */
    for (index = 0; sets_batch && index < node->streams; index++) {
        uint64_t at = node->status.frames_per_transfer.at + index * node->status.frames_per_transfer.stride;
        if (node->stream[index].weights)
            continue;
        if (shellgen_write(run->bus, at, run->batch, run->error) || shellgen_read(run->bus, at, &found, run->error))
            return -1;
        if (found != run->batch)
            return shellgen_fail(run->error, "stream %s: FRAMES_PER_TRANSFER is %" PRIu32 " after %" PRIu32 " was written",
                                 node->stream[index].name, found, run->batch);
    }
    return shellgen_write(run->bus, node->status.control.at, 0, run->error) ||
           shellgen_wait(run->bus, node->name, node->status.control.at,
                         SHELLGEN_SHELL_STATUS_CONTROL_RESET_MASK | SHELLGEN_SHELL_STATUS_CONTROL_HOLD_MASK,
                         "the reset does not end", run->error);
}

static int start_weights(struct run *run, const struct shellgen_dma *dma)
{
    const struct shellgen_stream *stream = &run->node->stream[dma->mm2s_stream];
    struct shellgen_buffer frame, ring;
    char path[4096];
    size_t size;
    FILE *file;
    if (!stream->file[0])
        return shellgen_fail(run->error, "stream %s: its weights were not known to shellgen generate", stream->name);
    if (take_buffer(run, stream->frame_bytes, &frame) || take_buffer(run, 2 * SHELLGEN_DESCRIPTOR, &ring))
        return -1;
    snprintf(path, sizeof path, "%s/%s", run->job->folder, stream->file);
    file = fopen(path, "rb");
    if (!file)
        return shellgen_fail(run->error, "%s: %s; say --folder", path, strerror(errno));
    size = fread(frame.data, 1, stream->frame_bytes, file);
    size += fgetc(file) != EOF;
    fclose(file);
    if (size != stream->frame_bytes)
        return shellgen_fail(run->error, "%s: its size is not %" PRIu32 " bytes", path, stream->frame_bytes);
    frame.size = stream->frame_bytes;
    return shellgen_repeat(run->bus, run->memory, dma, &frame, &ring, run->error);
}

static int start_pump(struct run *run, const struct shellgen_dma *dma, int number, uint64_t channel)
{
    struct pump *pump = &run->pump[run->pumps++];
    uint32_t index;
    memset(pump, 0, sizeof *pump);
    pump->stream = &run->node->stream[number];
    pump->dma = dma;
    pump->channel = channel;
    pump->data = run->job->data[number];
    pump->size = run->batch * pump->stream->frame_bytes;
    pump->transfers = (run->job->frames + run->batch - 1) / run->batch;
    pump->buffers = pump->transfers > 1 ? 2 : 1;
    for (index = 0; index < pump->buffers; index++)
        if (take_buffer(run, pump->size, &pump->buffer[index]))
            return -1;
    return shellgen_run_channel(run->bus, dma, channel, 0, run->error);
}

/* Copy a transfer between buffer and data; what is more than the last frame repeats it, or is dropped. */
static void pass(struct run *run, struct pump *pump)
{
    const struct shellgen_buffer *buffer = &pump->buffer[pump->passed % pump->buffers];
    uint64_t first = pump->passed * run->batch, left = run->job->frames - first;
    uint32_t bytes = pump->stream->frame_bytes, frame;
    uint64_t count = left < run->batch ? left : run->batch;
    if (pump->stream->tx) {
        run->memory->invalidate(run->memory->context, buffer);
        memcpy(pump->data + first * bytes, buffer->data, (size_t)(count * bytes));
    } else {
        for (frame = 0; frame < run->batch; frame++)
            memcpy(buffer->data + (size_t)frame * bytes,
                   pump->data + (first + (frame < count ? frame : count - 1)) * bytes, bytes);
        run->memory->flush(run->memory->context, buffer);
    }
    pump->passed++;
}

/* Go on without waiting: 1 if something has moved, 0 if not, -1 on an error. */
static int step(struct run *run, struct pump *pump)
{
    int moved = 0, over = 0;
    uint32_t got;
    if (pump->busy && (over = shellgen_finished(run->bus, pump->dma, pump->channel, run->error)) < 0)
        return -1;
    if (over) {
        if (pump->stream->tx) {
            if (shellgen_read(run->bus, pump->dma->base + pump->channel + SHELLGEN_LENGTH, &got, run->error))
                return -1;
            if ((got & pump->dma->max_bytes) != pump->size)
                return shellgen_fail(run->error, "stream %s: a transfer ended after %" PRIu32 " of %" PRIu32 " bytes",
                                     pump->stream->name, got & pump->dma->max_bytes, pump->size);
        }
        pump->busy = 0;
        pump->finished++;
        moved = 1;
    }
    if (!pump->busy && pump->started < pump->transfers &&
        (pump->stream->tx ? pump->started - pump->passed < pump->buffers : pump->passed > pump->started)) {
        if (shellgen_transfer(run->bus, pump->dma, pump->channel, &pump->buffer[pump->started % pump->buffers],
                              pump->size, run->error))
            return -1;
        pump->started++;
        pump->busy = moved = 1;
    }
    if (pump->stream->tx ? pump->finished > pump->passed
                         : pump->passed < pump->transfers && pump->passed - pump->finished < pump->buffers) {
        pass(run, pump);
        moved = 1;
    }
    return moved;
}

static int standstill(struct run *run)
{
    uint32_t index, status, counted;
    size_t used;
    shellgen_fail(run->error, "%s: nothing moved for %g s; if the network is only slow, give --timeout more",
                  run->node->name, run->job->timeout);
    for (index = 0; index < run->pumps; index++) {
        const struct pump *pump = &run->pump[index];
        uint32_t number = (uint32_t)(pump->stream - run->node->stream);
        if (run->bus->read(run->bus->context, pump->dma->base + pump->channel + SHELLGEN_DMASR, &status) ||
            run->bus->read(run->bus->context, run->node->status.frames.at + number * run->node->status.frames.stride, &counted))
            break;
        used = strlen(run->error->text);
        snprintf(run->error->text + used, sizeof run->error->text - used,
                 "; %s: %" PRIu64 " of %" PRIu64 " transfers, the core counted %" PRIu32 " frames, %s DMASR %#" PRIx32,
                 pump->stream->port, pump->finished, pump->transfers, counted, pump->dma->name, status);
    }
    return -1;
}

static int move(struct run *run)
{
    double last = shellgen_now();
    struct timespec pause = {0, 200000};
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
        if (!waiting)
            return 0;
        if (moved)
            last = shellgen_now();
        else if (shellgen_now() - last > run->job->timeout)
            return standstill(run);
        else
            nanosleep(&pause, NULL);
    }
}

/* Fail if the core has seen a framing error, or counted other frames than were moved. */
static int verify(struct run *run)
{
    const struct shellgen_node *node = run->node;
    uint32_t index, flags, counted;
    uint64_t sent = (run->job->frames + run->batch - 1) / run->batch * run->batch;
    for (index = 0; index < node->streams; index++) {
        const struct shellgen_stream *stream = &node->stream[index];
        if (shellgen_read(run->bus, node->status.flags.at + index * node->status.flags.stride, &flags, run->error) ||
            shellgen_read(run->bus, node->status.frames.at + index * node->status.frames.stride, &counted, run->error))
            return -1;
        if (!stream->tx && flags)
            return shellgen_fail(run->error, "stream %s: the core saw framing errors, flags %#" PRIx32, stream->name, flags);
        if (!stream->weights && counted != (uint32_t)sent)
            return shellgen_fail(run->error, "stream %s: the core counted %" PRIu32 " frames, and %" PRIu64 " were moved",
                                 stream->name, counted, sent);
    }
    return 0;
}

static int choose_batch(struct run *run)
{
    const struct shellgen_job *job = run->job;
    uint32_t index, most = UINT32_MAX, fits = UINT32_MAX;
    uint64_t transfers;
    for (index = 0; index < run->node->streams; index++) {
        const struct shellgen_stream *stream = &run->node->stream[index];
        if (stream->weights)
            continue;
        most = stream->most_frames < most ? stream->most_frames : most;
        if (SHELLGEN_BATCH_BYTES / stream->frame_bytes < fits)
            fits = SHELLGEN_BATCH_BYTES / stream->frame_bytes;
    }
    if (job->batch > most)
        return shellgen_fail(run->error, "--batch %" PRIu32 ": node %s takes 1 to %" PRIu32 " frames in a transfer",
                             job->batch, run->node->name, most);
    run->batch = job->batch ? job->batch : fits ? fits : 1;
    run->batch = run->batch < most ? run->batch : most;
    /* The same in all transfers, so that the last has little in it for nothing. */
    transfers = (job->frames + run->batch - 1) / run->batch;
    run->batch = (uint32_t)((job->frames + transfers - 1) / transfers);
    return 0;
}

int shellgen_run(const struct shellgen_node *node, const struct shellgen_bus *bus, const struct shellgen_memory *memory,
                 const struct shellgen_job *job, struct shellgen_error *error)
{
    struct run *run = (struct run *)calloc(1, sizeof *run);
    struct shellgen_error other = {""};
    uint32_t index;
    int result = -1;
    error->text[0] = '\0';
    if (!run || node->streams > SHELLGEN_STREAMS || !node->dmas || !job->frames) {
        free(run);
        return shellgen_fail(error, "node %s: there are no DMAs, no frames or no memory", node->name);
    }
    run->node = node;
    run->bus = bus;
    run->memory = memory;
    run->job = job;
    run->error = error;
    if (choose_batch(run) || shellgen_check(node, bus, error)) {
        free(run);
        return -1;
    }
    if (reset_all(run, 1))
        goto done;
    for (index = 0; index < node->dmas; index++) {
        const struct shellgen_dma *dma = &node->dma[index];
        if (dma->cyclic ? start_weights(run, dma)
                        : (dma->s2mm_stream >= 0 && start_pump(run, dma, dma->s2mm_stream, SHELLGEN_S2MM)) ||
                              (dma->mm2s_stream >= 0 && start_pump(run, dma, dma->mm2s_stream, SHELLGEN_MM2S)))
            goto done;
    }
    result = move(run) || verify(run) ? -1 : 0;
done:
    if (result)
        run->error = &other; /* the first error is the one to be told */
    if (reset_all(run, 0)) /* before the buffers are anybody else's */
        result = -1;
    else
        while (run->buffers)
            memory->release(memory->context, &run->taken[--run->buffers]);
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
    uint64_t asked = job->frames;
    uint32_t index;
    int result = 0, leaves;
    error->text[0] = '\0';
    memset(job->data, 0, sizeof job->data);
    for (leaves = 0; leaves < 2 && !result; leaves++) /* what enters tells how many frames there are */
        for (index = 0; index < node->streams && !result; index++) {
            const struct shellgen_stream *stream = &node->stream[index];
            struct shellgen_npy npy = {0, 0, 0, 0, NULL};
            if (stream->weights || stream->tx != leaves)
                continue;
            if (stream->bits > 63)
                result = shellgen_fail(error, "stream %s: elements of more than 63 bits", stream->name);
            else if (!leaves && !files->input[index])
                result = shellgen_fail(error, "nothing feeds %s (%s): give --input", stream->port, stream->name);
            else if (!leaves)
                result = shellgen_read_npy(&npy, files->input[index], stream->elements, error);
            if (!result && !leaves) {
                if (!job->frames)
                    job->frames = npy.frames;
                if (npy.frames < job->frames || (!asked && npy.frames != job->frames))
                    result = shellgen_fail(error, "%s: it has %" PRIu64 " frames, and %" PRIu64 " are sent",
                                           files->input[index], npy.frames, job->frames);
            }
            if (!result)
                job->data[index] = (uint8_t *)calloc((size_t)job->frames, stream->frame_bytes);
            if (!result && !job->data[index])
                result = shellgen_fail(error, "no memory for %" PRIu64 " frames", job->frames);
            if (!result && !leaves)
                result = shellgen_pack(stream, &npy, job->frames, job->data[index], files->input[index], error);
            free(npy.data);
        }
    if (!result)
        result = shellgen_run(node, bus, memory, job, error);
    for (index = 0; index < node->streams; index++) {
        const struct shellgen_stream *stream = &node->stream[index];
        if (!result && files->output[index])
            result = shellgen_write_npy(stream, job->data[index], job->frames, files->output[index], error);
        if (!result && files->golden[index])
            result = compare(stream, job->data[index], job->frames, files->golden[index], error);
    }
    for (index = 0; index < node->streams; index++)
        free(job->data[index]);
    return result;
}
#ifndef SHELLGEN_NO_MAIN
#include "shellgen_run_main.h"
#endif
