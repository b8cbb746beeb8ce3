/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams of a core that are kept in memory; see shellgen_ring.py. */
#ifndef SHELLGEN_RING_H
#define SHELLGEN_RING_H

#include "shellgen_run.h"

/* Let no ring begin another burst, and wait until none is under way; the core is held or idle. */
static inline int shellgen_disarm_rings(struct shellgen_run *run)
{
    const struct shellgen_node *node = run->node;
    uint32_t index, wanted = 0, found = 0;
    double end = shellgen_now() + 1.0;
    for (index = 0; index < node->rings; index++)
        wanted |= node->ring[index].mask;
    if (!wanted)
        return 0;
    if (shellgen_write(run->bus, node->ring[0].arm, 0, run->error))
        return -1;
    for (;;) {
        if (shellgen_read(run->bus, node->ring[0].idle, &found, run->error))
            return -1;
        if ((found & wanted) == wanted)
            return 0;
        if (shellgen_now() > end)
            return shellgen_fail(run->error, "%s: the memory does not answer a ring of the core; load the bitstream again",
                                 node->name);
    }
}

/* Give a ring a buffer. */
static inline int shellgen_place_ring(struct shellgen_run *run, const struct shellgen_ring *ring)
{
    struct shellgen_buffer buffer;
    uint64_t address;
    uint32_t index, inside = ring->bank != NULL; /* the shell knows where its bank lies */
    char text[512] = "";
    if (!ring->bank) {
        if (shellgen_take_buffer(run, (size_t)ring->bytes + ring->align, &buffer))
            return -1;
    } else if (!run->memory->take ||
               run->memory->take(run->memory->context, ring->bank, (size_t)ring->bytes + ring->align, &buffer, text,
                                 sizeof text)) {
        return shellgen_fail(run->error, "%s: no %" PRIu64 " bytes of memory (%s) for stream %s: %s", run->node->name,
                             ring->bytes, ring->bank, ring->name, text);
    }
    address = (buffer.address + ring->align - 1) / ring->align * ring->align;
    for (index = 0; index < ring->windows; index++)
        inside |= address >= ring->memory_base[index] && ring->bytes <= ring->memory_size[index] &&
                  address - ring->memory_base[index] <= ring->memory_size[index] - ring->bytes;
    if (!inside)
        return shellgen_fail(run->error, "%s: %" PRIu64 " bytes for stream %s were allocated at %#" PRIx64
                             ", where the core does not reach",
                             run->node->name, ring->bytes, ring->name, address);
    return shellgen_write(run->bus, ring->base_low, (uint32_t)address, run->error) ||
                   shellgen_write(run->bus, ring->base_high, (uint32_t)(address >> 32), run->error) ||
                   shellgen_write(run->bus, ring->write_faults, ring->mask, run->error) ||
                   shellgen_write(run->bus, ring->read_faults, ring->mask, run->error)
               ? -1
               : 0;
}

/* Give each ring of the node a buffer; partitions and links are reset. */
static inline int shellgen_arm_rings(struct shellgen_run *run)
{
    const struct shellgen_node *node = run->node;
    uint32_t index, armed = 0;
    if (!node->rings)
        return 0;
    /* What an earlier run has left is dropped. */
    if (shellgen_write(run->bus, node->status.control.at, SHELLGEN_SHELL_STATUS_CONTROL_HOLD_MASK, run->error) ||
        shellgen_disarm_rings(run))
        return -1;
    for (index = 0; index < node->rings; index++) {
        if (shellgen_place_ring(run, &node->ring[index]))
            return -1;
        armed |= node->ring[index].mask;
    }
    return shellgen_write(run->bus, node->ring[0].arm, armed, run->error) || shellgen_release(run) ? -1 : 0;
}

/* Fail if the memory has answered an access of a ring with an error. */
static inline int shellgen_check_rings(struct shellgen_run *run)
{
    const struct shellgen_node *node = run->node;
    uint32_t index, writes, reads;
    for (index = 0; index < node->rings; index++) {
        const struct shellgen_ring *ring = &node->ring[index];
        if (shellgen_read(run->bus, ring->write_faults, &writes, run->error) ||
            shellgen_read(run->bus, ring->read_faults, &reads, run->error))
            return -1;
        if ((writes | reads) & ring->mask)
            return shellgen_fail(run->error, "%s: the memory has answered a %s of stream %s with an error; its frames are wrong",
                                 node->name, writes & ring->mask ? "write" : "read", ring->name);
    }
    return 0;
}

#endif
