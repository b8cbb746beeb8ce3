/* SPDX-License-Identifier: BSD-3-Clause */
/* Deals to replicas and gathers from them in a core: who has turns in a run, and how many frames each stream has. */
#ifndef SHELLGEN_TURNS_H
#define SHELLGEN_TURNS_H

#include "shellgen_host.h"

enum { SHELLGEN_MOST_ABSENT = 32 };

/* Replicas without a turn, by the names of their nodes. */
struct shellgen_absent {
    const char *node[SHELLGEN_MOST_ABSENT];
    uint32_t count;
};

/* Return the value of OUT of a deal or gather. */
static inline uint32_t shellgen_out(const struct shellgen_turns *turns, const struct shellgen_absent *absent)
{
    uint32_t bit, index, out = 0;
    for (bit = 0; bit < turns->nodes; bit++)
        for (index = 0; index < absent->count; index++)
            if (strcmp(turns->node[bit], absent->node[index]) == 0)
                out |= (uint32_t)1 << bit;
    return out;
}

/* Find the deal or gather of a stream that has a share of the frames, and its bit; NULL if it has all of them. */
static inline const struct shellgen_turns *shellgen_shared(const struct shellgen_node *node, uint32_t stream, uint32_t *bit)
{
    uint32_t index;
    for (index = 0; index < node->turns; index++)
        for (*bit = 0; node->turn[index].length && *bit < node->turn[index].nodes; ++*bit)
            if (node->turn[index].stream[*bit] == stream)
                return &node->turn[index];
    return NULL;
}

/* Tell whether a stream is that of a replica without a turn. */
static inline int shellgen_away(const struct shellgen_node *node, const struct shellgen_absent *absent, uint32_t stream)
{
    uint32_t index, bit;
    for (index = 0; index < node->turns; index++)
        for (bit = 0; bit < node->turn[index].nodes; bit++)
            if (node->turn[index].stream[bit] == stream && shellgen_out(&node->turn[index], absent) >> bit & 1)
                return 1;
    return 0;
}

/* Return how many of the node's frames a stream has. */
static inline uint64_t shellgen_share(const struct shellgen_node *node, const struct shellgen_absent *absent, uint32_t stream,
                                      uint64_t frames)
{
    uint32_t bit, out, at, before = 0, turns = 0, own = 0, rest;
    const struct shellgen_turns *found = shellgen_shared(node, stream, &bit);
    if (shellgen_away(node, absent, stream))
        return 0;
    if (!found)
        return frames;
    out = shellgen_out(found, absent);
    for (at = 0; at < found->length; at++)
        turns += !(out >> found->pattern[at] & 1);
    if (!turns)
        return 0;
    rest = (uint32_t)(frames % turns);
    for (at = 0; at < found->length; at++)
        if (!(out >> found->pattern[at] & 1)) {
            own += found->pattern[at] == bit;
            before += found->pattern[at] == bit && rest > 0;
            rest -= rest > 0;
        }
    return frames / turns * own + before;
}

/* Check that each of them has turns here, and that somebody is left. */
static inline int shellgen_check_absent(const struct shellgen_node *node, const struct shellgen_absent *absent,
                                        struct shellgen_error *error)
{
    uint32_t index, at, known;
    for (index = 0; index < absent->count; index++) {
        const struct shellgen_absent one = {{absent->node[index]}, 1};
        for (known = 0, at = 0; at < node->turns; at++)
            known |= shellgen_out(&node->turn[at], &one);
        if (!known)
            return shellgen_fail(error, "--absent %s: node %s has no turns of it", absent->node[index], node->name);
    }
    for (at = 0; at < node->turns; at++)
        if (shellgen_out(&node->turn[at], absent) == ((uint32_t)1 << node->turn[at].nodes) - 1)
            return shellgen_fail(error, "--absent: nobody would be left for a %s of node %s", node->turn[at].kind, node->name);
    return 0;
}

/* Write OUT of each deal and gather, which the core takes over in its reset; or check that it has. */
static inline int shellgen_take_out(const struct shellgen_node *node, const struct shellgen_bus *bus,
                                    const struct shellgen_absent *absent, int check, struct shellgen_error *error)
{
    uint32_t index, found;
    for (index = 0; index < node->turns; index++) {
        const struct shellgen_turns *turns = &node->turn[index];
        uint32_t out = shellgen_out(turns, absent);
        if (!check && shellgen_write(bus, turns->out, out, error))
            return -1;
        if (check && shellgen_read(bus, turns->out_now, &found, error))
            return -1;
        if (check && found != out)
            return shellgen_fail(error, "%s: OUT_NOW is %#" PRIx32 " after a reset with OUT at %#" PRIx32
                                 "; is this the bitstream of the map?", node->name, found, out);
    }
    return 0;
}

#endif
