/* SPDX-License-Identifier: BSD-3-Clause */
/* What the C programs of the host have in common: registers through a bus, and messages. C11 and C++11. Compile
 * with -I and the folder of the memory_map.h that is meant: the node's or the cluster's. */
#ifndef SHELLGEN_HOST_H
#define SHELLGEN_HOST_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* before the first header of the system */
#endif
#include "memory_map.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 32-bit accesses to physical addresses; both return 0, or another value if the access was answered with an error. */
struct shellgen_bus {
    void *context;
    int (*read)(void *context, uint64_t address, uint32_t *value);
    int (*write)(void *context, uint64_t address, uint32_t value);
};

/* The message of what stopped; empty as long as nothing has. */
struct shellgen_error {
    char text[1024];
};

/* Set the message and return -1, for `return shellgen_fail(...)`. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static inline int shellgen_fail(struct shellgen_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return -1;
}

/* Add to the message. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static inline void shellgen_add(struct shellgen_error *error, const char *format, ...)
{
    size_t used = strlen(error->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text + used, sizeof error->text - used, format, arguments);
    va_end(arguments);
}

static inline int shellgen_read(const struct shellgen_bus *bus, uint64_t address, uint32_t *value,
                                struct shellgen_error *error)
{
    if (bus->read(bus->context, address, value) == 0)
        return 0;
    return shellgen_fail(error, "address %#" PRIx64 " was answered with an error", address);
}

static inline int shellgen_write(const struct shellgen_bus *bus, uint64_t address, uint32_t value,
                                 struct shellgen_error *error)
{
    if (bus->write(bus->context, address, value) == 0)
        return 0;
    return shellgen_fail(error, "address %#" PRIx64 " was answered with an error", address);
}

/* Return the node of this name, or NULL with a message that names those that there are. */
static inline const struct shellgen_node *shellgen_find(const char *name, struct shellgen_error *error)
{
    int index;
    for (index = 0; index < SHELLGEN_NODES; index++)
        if (strcmp(shellgen_nodes[index]->name, name) == 0)
            return shellgen_nodes[index];
    shellgen_fail(error, "there is no node %.100s; memory_map.h has", name);
    for (index = 0; index < SHELLGEN_NODES; index++)
        shellgen_add(error, " %s", shellgen_nodes[index]->name);
    return NULL;
}

/* Compare the build id of the core with that of memory_map.h. */
static inline int shellgen_check(const struct shellgen_node *node, const struct shellgen_bus *bus,
                                 struct shellgen_error *error)
{
    uint32_t magic, low, high;
    uint64_t found;
    if (shellgen_read(bus, node->status.magic.at, &magic, error))
        return -1;
    if (magic != SHELLGEN_SHELL_STATUS_MAGIC_VALUE)
        return shellgen_fail(error,
                             "%s: no shellgen core at %#" PRIx64 ": read 0x%08" PRIx32
                             "; load the bitstream first",
                             node->name, node->status.magic.at, magic);
    if (shellgen_read(bus, node->status.build_id_high.at, &high, error) ||
        shellgen_read(bus, node->status.build_id_low.at, &low, error))
        return -1;
    found = (uint64_t)high << 32 | low;
    if (found != node->build_id)
        return shellgen_fail(error,
                             "%s: the core is build %016" PRIx64 ", memory_map.h is for %016" PRIx64
                             "; use the header of this bitstream",
                             node->name, found, node->build_id);
    return 0;
}

#endif
