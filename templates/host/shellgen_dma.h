/* SPDX-License-Identifier: BSD-3-Clause */
/* AXI DMA by its registers: single transfers, and one buffer over and over; see shellgen_dma.py.
 * Source: PG021 (AXI DMA), Direct Register Mode, Scatter/Gather Mode, Cyclic DMA Mode. */
#ifndef SHELLGEN_DMA_H
#define SHELLGEN_DMA_H

#include "shellgen_host.h"

#include <time.h>

struct shellgen_buffer {
    uint8_t *data;
    uint64_t address; /* physical */
    size_t size;
};

/* Memory that the DMAs reach. `allocate` returns 0, or another value if there is none left; an address is a multiple of
 * 64. `flush` is called before the DMA reads a buffer, `invalidate` after it has written one. */
struct shellgen_memory {
    void *context;
    int (*allocate)(void *context, size_t size, struct shellgen_buffer *buffer);
    void (*flush)(void *context, const struct shellgen_buffer *buffer);
    void (*invalidate)(void *context, const struct shellgen_buffer *buffer);
    void (*release)(void *context, const struct shellgen_buffer *buffer);
    /* As `allocate`, in a bank that the shell of the core knows by name; NULL where there are none. It says why not. */
    int (*take)(void *context, const char *bank, size_t size, struct shellgen_buffer *buffer, char *text, size_t length);
};

enum {
    SHELLGEN_MM2S = 0x00,
    SHELLGEN_S2MM = 0x30,
    SHELLGEN_DMACR = 0x00,
    SHELLGEN_DMASR = 0x04,
    SHELLGEN_CURDESC = 0x08,
    SHELLGEN_TAILDESC = 0x10,
    SHELLGEN_ADDRESS = 0x18,
    SHELLGEN_LENGTH = 0x28,
    SHELLGEN_RUN = 1 << 0,
    SHELLGEN_RESET = 1 << 2,
    SHELLGEN_CYCLIC = 1 << 4,
    SHELLGEN_HALTED = 1 << 0,
    SHELLGEN_IDLE = 1 << 1,
    SHELLGEN_HAS_SG = 1 << 3,
    SHELLGEN_DMA_ERRORS = 0x770,
    SHELLGEN_DESCRIPTOR = 64
};

static inline double shellgen_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Wait until bits of a register are 0, a second at most. */
static inline int shellgen_wait(const struct shellgen_bus *bus, const char *name, uint64_t address, uint32_t bits,
                                const char *what, struct shellgen_error *error)
{
    double end = shellgen_now() + 1.0;
    uint32_t value;
    for (;;) {
        if (shellgen_read(bus, address, &value, error))
            return -1;
        if (!(value & bits))
            return 0;
        if (shellgen_now() > end)
            return shellgen_fail(error, "%s: %s; is this the bitstream of memory_map.h, and its clock on?", name, what);
    }
}

static inline int shellgen_write_address(const struct shellgen_bus *bus, const struct shellgen_dma *dma, uint64_t at,
                                         uint64_t value, struct shellgen_error *error)
{
    if (shellgen_write(bus, at, (uint32_t)value, error))
        return -1;
    return dma->address_bits > 32 ? shellgen_write(bus, at + 4, (uint32_t)(value >> 32), error) : 0;
}

/* Reset both channels, whatever is under way. */
static inline int shellgen_reset_dma(const struct shellgen_bus *bus, const struct shellgen_dma *dma,
                                     struct shellgen_error *error)
{
    uint64_t at = dma->base + (dma->mm2s_stream >= 0 ? SHELLGEN_MM2S : SHELLGEN_S2MM);
    uint32_t status;
    if (shellgen_write(bus, at + SHELLGEN_DMACR, SHELLGEN_RESET, error) ||
        shellgen_wait(bus, dma->name, at + SHELLGEN_DMACR, SHELLGEN_RESET, "its reset does not end", error) ||
        shellgen_read(bus, at + SHELLGEN_DMASR, &status, error))
        return -1;
    if (!(status & SHELLGEN_HAS_SG) != !dma->cyclic)
        return shellgen_fail(error, "%s: DMASR is %#" PRIx32 ": it is not the DMA of memory_map.h", dma->name, status);
    return 0;
}

static inline int shellgen_run_channel(const struct shellgen_bus *bus, const struct shellgen_dma *dma, uint64_t channel,
                                       uint32_t more, struct shellgen_error *error)
{
    uint64_t at = dma->base + channel;
    return shellgen_write(bus, at + SHELLGEN_DMACR, SHELLGEN_RUN | more, error) ||
           shellgen_wait(bus, dma->name, at + SHELLGEN_DMASR, SHELLGEN_HALTED, "it does not leave its reset", error);
}

/* Refuse a buffer that the DMA does not reach. */
static inline int shellgen_check_buffer(const struct shellgen_dma *dma, const struct shellgen_buffer *buffer,
                                        struct shellgen_error *error)
{
    int window;
    if (buffer->address % dma->align)
        return shellgen_fail(error, "%s: a buffer was allocated at %#" PRIx64 ", which is not a multiple of %" PRIu32,
                             dma->name, buffer->address, dma->align);
    for (window = 0; window < dma->windows; window++)
        if (buffer->address >= dma->memory_base[window] && buffer->size <= dma->memory_size[window] &&
            buffer->address - dma->memory_base[window] <= dma->memory_size[window] - buffer->size)
            return 0;
    return shellgen_fail(error, "%s: a buffer of %zu bytes was allocated at %#" PRIx64 ", which it does not reach",
                         dma->name, buffer->size, buffer->address);
}

/* Begin a transfer on an idle channel. */
static inline int shellgen_transfer(const struct shellgen_bus *bus, const struct shellgen_dma *dma, uint64_t channel,
                                    const struct shellgen_buffer *buffer, uint32_t size, struct shellgen_error *error)
{
    uint64_t at = dma->base + channel;
    return shellgen_check_buffer(dma, buffer, error) ||
           shellgen_write_address(bus, dma, at + SHELLGEN_ADDRESS, buffer->address, error) ||
           shellgen_write(bus, at + SHELLGEN_LENGTH, size, error);
}

/* Return 1 if the transfer is over, 0 if not, -1 if it failed. */
static inline int shellgen_finished(const struct shellgen_bus *bus, const struct shellgen_dma *dma, uint64_t channel,
                                    struct shellgen_error *error)
{
    uint32_t status;
    if (shellgen_read(bus, dma->base + channel + SHELLGEN_DMASR, &status, error))
        return -1;
    if (status & SHELLGEN_DMA_ERRORS)
        return shellgen_fail(error, "%s %s: it has stopped with an error; DMASR is %#" PRIx32, dma->name,
                             channel == SHELLGEN_MM2S ? "MM2S" : "S2MM", status);
    return (status & SHELLGEN_IDLE) != 0;
}

static inline void shellgen_put64(uint8_t *at, uint64_t value)
{
    int byte;
    for (byte = 0; byte < 8; byte++)
        at[byte] = (uint8_t)(value >> 8 * byte);
}

/* Send a buffer of whole frame over and over, until the DMA is reset; `ring` has room for two descriptors. */
static inline int shellgen_repeat(const struct shellgen_bus *bus, const struct shellgen_memory *memory,
                                  const struct shellgen_dma *dma, const struct shellgen_buffer *frame,
                                  const struct shellgen_buffer *ring, struct shellgen_error *error)
{
    uint64_t first = ring->address, second = first + SHELLGEN_DESCRIPTOR;
    int index;
    if (shellgen_check_buffer(dma, frame, error) || shellgen_check_buffer(dma, ring, error))
        return -1;
    memset(ring->data, 0, 2 * SHELLGEN_DESCRIPTOR);
    for (index = 0; index < 2; index++) {
        uint8_t *at = ring->data + index * SHELLGEN_DESCRIPTOR;
        shellgen_put64(at, index ? first : second);
        shellgen_put64(at + 8, frame->address);
        shellgen_put64(at + 24, (uint64_t)frame->size | UINT64_C(3) << 26); /* first and last of a packet */
    }
    memory->flush(memory->context, frame);
    memory->flush(memory->context, ring);
    return shellgen_write_address(bus, dma, dma->base + SHELLGEN_CURDESC, first, error) ||
           shellgen_run_channel(bus, dma, SHELLGEN_MM2S, SHELLGEN_CYCLIC, error) ||
           /* any address that no descriptor has: the ring never comes to its end */
           shellgen_write_address(bus, dma, dma->base + SHELLGEN_TAILDESC, second + SHELLGEN_DESCRIPTOR, error);
}

#endif
