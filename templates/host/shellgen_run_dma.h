/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine of boards with AXI DMAs: one transfer of a stream at a time, and buffers of weights over and over. */
#ifndef SHELLGEN_RUN_DMA_H
#define SHELLGEN_RUN_DMA_H

#include "shellgen_run.h"

#include <errno.h>

/* Hold the core in reset and reset the DMAs; then let go. Nothing of an earlier run is left, whatever ended it. */
static inline int shellgen_reset_dmas(struct shellgen_run *run, int sets_batch)
{
    const struct shellgen_node *node = run->node;
    uint32_t index;
    if (shellgen_write(run->bus, node->status.control.at, SHELLGEN_SHELL_STATUS_CONTROL_HOLD_MASK, run->error))
        return -1;
    for (index = 0; index < node->dmas; index++)
        if (shellgen_reset_dma(run->bus, &node->dma[index], run->error))
            return -1;
    /* Now, because a layer that pads begins a frame before any has come. */
    if (sets_batch && shellgen_set_batch(run, run->batch))
        return -1;
    return shellgen_release(run);
}

static inline int shellgen_start_weights(struct shellgen_run *run, const struct shellgen_dma *dma)
{
    const struct shellgen_stream *stream = &run->node->stream[dma->mm2s_stream];
    struct shellgen_buffer frame, ring;
    char path[4096];
    size_t size;
    FILE *file;
    if (!stream->file[0])
        return shellgen_fail(run->error, "stream %s: its weights were not known to shellgen generate", stream->name);
    if (shellgen_take_buffer(run, stream->frame_bytes, &frame) ||
        shellgen_take_buffer(run, 2 * SHELLGEN_DESCRIPTOR, &ring))
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

static inline int shellgen_start_channel(struct shellgen_run *run, const struct shellgen_dma *dma, int number,
                                         uint64_t channel)
{
    struct shellgen_pump *pump = shellgen_add_pump(run, (uint32_t)number);
    uint32_t index;
    pump->dma = dma;
    pump->channel = channel;
    for (index = 0; index < pump->buffers; index++)
        if (shellgen_take_buffer(run, pump->size, &pump->buffer[index]))
            return -1;
    return shellgen_run_channel(run->bus, dma, channel, 0, run->error);
}

static inline int shellgen_dma_has(const struct shellgen_node *node, uint32_t stream)
{
    (void)node;
    (void)stream;
    return 1;
}

static inline uint32_t shellgen_dma_most(struct shellgen_run *run)
{
    (void)run;
    return 0;
}

static inline int shellgen_dma_begin(struct shellgen_run *run)
{
    uint32_t index;
    if (shellgen_reset_dmas(run, 1))
        return -1;
    for (index = 0; index < run->node->dmas; index++) {
        const struct shellgen_dma *dma = &run->node->dma[index];
        if (dma->cyclic
                ? shellgen_start_weights(run, dma)
                : (dma->s2mm_stream >= 0 && shellgen_start_channel(run, dma, dma->s2mm_stream, SHELLGEN_S2MM)) ||
                      (dma->mm2s_stream >= 0 && shellgen_start_channel(run, dma, dma->mm2s_stream, SHELLGEN_MM2S)))
            return -1;
    }
    return 0;
}

static inline int shellgen_dma_transfer(struct shellgen_run *run, struct shellgen_pump *pump)
{
    return shellgen_transfer(run->bus, pump->dma, pump->channel, &pump->buffer[pump->started % pump->buffers],
                             pump->size, run->error);
}

static inline int shellgen_dma_finished(struct shellgen_run *run, struct shellgen_pump *pump)
{
    int over = shellgen_finished(run->bus, pump->dma, pump->channel, run->error);
    uint32_t got;
    if (over <= 0 || !pump->stream->tx)
        return over;
    if (shellgen_read(run->bus, pump->dma->base + pump->channel + SHELLGEN_LENGTH, &got, run->error))
        return -1;
    if ((got & pump->dma->max_bytes) != pump->size)
        return shellgen_fail(run->error, "stream %s: a transfer ended after %" PRIu32 " of %" PRIu32 " bytes",
                             pump->stream->name, got & pump->dma->max_bytes, pump->size);
    return over;
}

static inline void shellgen_dma_state(struct shellgen_run *run, const struct shellgen_pump *pump, char *text,
                                      size_t size)
{
    uint32_t status;
    if (run->bus->read(run->bus->context, pump->dma->base + pump->channel + SHELLGEN_DMASR, &status))
        snprintf(text, size, "%s is silent", pump->dma->name);
    else
        snprintf(text, size, "%s DMASR %#" PRIx32, pump->dma->name, status);
}

static inline int shellgen_dma_end(struct shellgen_run *run)
{
    return shellgen_reset_dmas(run, 0);
}

static inline const struct shellgen_engine *shellgen_dmas(void)
{
    static const struct shellgen_engine dmas = {
        NULL, "DMAs", 0, 200000, shellgen_dma_has, shellgen_dma_most, shellgen_dma_begin, shellgen_dma_transfer,
        shellgen_dma_finished, shellgen_dma_state, shellgen_dma_end};
    return &dmas;
}

#endif
