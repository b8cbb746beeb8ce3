/* SPDX-License-Identifier: BSD-3-Clause */
/* A node as a bus, by what memory_map.h says of its bus: the core's window and those beside it through a device such as
 * /dev/mem, or a card through XRT. The latter where SHELLGEN_XRT is defined and libshellgen_xrt.so is linked. */
#ifndef SHELLGEN_OPEN_H
#define SHELLGEN_OPEN_H

#include "shellgen_device.h"
#ifdef SHELLGEN_XRT
#include "shellgen_xrt.h"
#endif

/* The core's window and those of the units beside it. */
enum { SHELLGEN_MOST_WINDOWS = 1 + SHELLGEN_MOST_UNITS };

struct shellgen_opened {
    const struct shellgen_node *node;
    struct shellgen_device device[SHELLGEN_MOST_WINDOWS];
    struct shellgen_bus bus[SHELLGEN_MOST_WINDOWS];
#ifdef SHELLGEN_XRT
    struct shellgen_xrt_card *card;
    int ip[SHELLGEN_MOST_WINDOWS]; /* 1 more than its number; 0 before the first access */
#endif
};

/* The values of an option that may be given for each node: NODE=VALUE, or VALUE for all. */
static inline const char *shellgen_of_node(const struct shellgen_node *node, const char *const *values, uint32_t count)
{
    const char *all = NULL, *own = NULL;
    size_t length = strlen(node->name);
    uint32_t index;
    for (index = 0; index < count; index++)
        if (strncmp(values[index], node->name, length) == 0 && values[index][length] == '=')
            own = values[index] + length + 1;
        else if (!strchr(values[index], '='))
            all = values[index];
    return own ? own : all;
}

/* Return which window has an address, and where it begins; -1 if none has. */
static inline int shellgen_window(const struct shellgen_node *node, uint64_t address, uint64_t *base)
{
    uint32_t index;
    *base = node->base;
    if (address >= node->base && address - node->base < node->span)
        return 0;
    for (index = 0; index < node->units; index++) {
        *base = node->unit[index].base;
        if (address >= *base && address - *base < node->unit[index].size)
            return (int)index + 1;
    }
    return -1;
}

static inline int shellgen_opened_read(void *context, uint64_t address, uint32_t *value)
{
    struct shellgen_opened *opened = (struct shellgen_opened *)context;
    uint64_t base;
    int at = shellgen_window(opened->node, address, &base);
    return at < 0 || !opened->bus[at].read ? -1 : opened->bus[at].read(opened->bus[at].context, address, value);
}

static inline int shellgen_opened_write(void *context, uint64_t address, uint32_t value)
{
    struct shellgen_opened *opened = (struct shellgen_opened *)context;
    uint64_t base;
    int at = shellgen_window(opened->node, address, &base);
    return at < 0 || !opened->bus[at].write ? -1 : opened->bus[at].write(opened->bus[at].context, address, value);
}

static inline int shellgen_open_windows(struct shellgen_opened *opened, const char *device, struct shellgen_error *error)
{
    const struct shellgen_node *node = opened->node;
    uint32_t index;
    if (shellgen_open_device(&opened->device[0], &opened->bus[0], device, node->base, node->span, node->slot_bytes,
                             error))
        return -1;
    for (index = 0; index < node->units; index++)
        if (!node->unit[index].ip[0] &&
            shellgen_open_device(&opened->device[index + 1], &opened->bus[index + 1], device, node->unit[index].base,
                                 node->unit[index].size, 4, error))
            return -1;
    return 0;
}

#ifdef SHELLGEN_XRT
/* Find the kernel of an address, which the first access opens. XRT's messages go into what the program prints. */
static inline int shellgen_xrt_place(struct shellgen_opened *opened, uint64_t address, uint64_t *base)
{
    int at = shellgen_window(opened->node, address, base);
    const char *name;
    char text[512] = "";
    if (at < 0 || opened->ip[at])
        return at;
    name = at ? opened->node->unit[at - 1].ip : opened->node->ip;
    opened->ip[at] = 1 + shellgen_xrt_ip(opened->card, name, text, sizeof text);
    if (!opened->ip[at])
        fprintf(stderr, "%s: %s: %s\n", opened->node->name, name, text);
    return opened->ip[at] ? at : -1;
}

static inline int shellgen_xrt_bus_read(void *context, uint64_t address, uint32_t *value)
{
    struct shellgen_opened *opened = (struct shellgen_opened *)context;
    char text[512] = "";
    uint64_t base;
    int at = shellgen_xrt_place(opened, address, &base);
    return at < 0 ? -1
                  : shellgen_xrt_read(opened->card, opened->ip[at] - 1, (uint32_t)(address - base), value, text,
                                      sizeof text);
}

static inline int shellgen_xrt_bus_write(void *context, uint64_t address, uint32_t value)
{
    struct shellgen_opened *opened = (struct shellgen_opened *)context;
    char text[512] = "";
    uint64_t base;
    int at = shellgen_xrt_place(opened, address, &base);
    return at < 0 ? -1
                  : shellgen_xrt_write(opened->card, opened->ip[at] - 1, (uint32_t)(address - base), value, text,
                                       sizeof text);
}
#endif

/* Open a node. `device` is NULL where none is given: /dev/mem, or card 0; `xclbin` is NULL but behind XRT. */
static inline int shellgen_open_node(struct shellgen_opened *opened, struct shellgen_bus *bus,
                                     const struct shellgen_node *node, const char *device, const char *xclbin,
                                     struct shellgen_error *error)
{
    memset(opened, 0, sizeof *opened);
    opened->node = node;
    bus->context = opened;
    if (strcmp(node->bus, "devmem") == 0) {
        if (xclbin)
            return shellgen_fail(error, "--xclbin: %s hangs on no XRT; it is reached by %s", node->name,
                                 device ? device : "/dev/mem");
        bus->read = shellgen_opened_read;
        bus->write = shellgen_opened_write;
        return shellgen_open_windows(opened, device ? device : "/dev/mem", error);
    }
    if (strcmp(node->bus, "xrt") != 0)
        return shellgen_fail(error,
                             "%s: its bus is %s, and this program knows devmem and xrt; compile it with "
                             "SHELLGEN_NO_MAIN, and give it a bus of yours",
                             node->name, node->bus);
#ifdef SHELLGEN_XRT
    {
        char text[512] = "";
        if (!xclbin)
            return shellgen_fail(error,
                                 "%s: say what the card runs: --xclbin %s=FILE; XRT opens the registers of nothing "
                                 "else",
                                 node->name, node->name);
        opened->card = shellgen_xrt_open(device ? device : "0", xclbin, text, sizeof text);
        if (!opened->card)
            return shellgen_fail(error, "%s: device %s, %s: %s", node->name, device ? device : "0", xclbin, text);
        bus->read = shellgen_xrt_bus_read;
        bus->write = shellgen_xrt_bus_write;
        return 0;
    }
#else
    return shellgen_fail(error,
                         "%s: it hangs on XRT; compile this program with -DSHELLGEN_XRT and libshellgen_xrt.so "
                         "(shellgen_xrt.cpp says how), or use the one in Python",
                         node->name);
#endif
}

#endif
