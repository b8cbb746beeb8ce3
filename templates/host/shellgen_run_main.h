/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of shellgen_run.c: registers through /dev/mem, buffers from u-dma-buf, which is opened without cache. */
#ifndef SHELLGEN_RUN_MAIN_H
#define SHELLGEN_RUN_MAIN_H

#include "shellgen_device.h"
#include "shellgen_run.h"

enum { SHELLGEN_WINDOWS = SHELLGEN_STREAMS + 1 };

/* The windows of core and DMAs. */
struct board {
    struct shellgen_device device[SHELLGEN_WINDOWS];
    struct shellgen_bus bus[SHELLGEN_WINDOWS];
    uint64_t base[SHELLGEN_WINDOWS], size[SHELLGEN_WINDOWS];
    uint32_t windows;
    uint8_t *buffers;
    uint64_t address, bytes, used;
};

static int board_window(const struct board *board, uint64_t address)
{
    uint32_t index;
    for (index = 0; index < board->windows; index++)
        if (address >= board->base[index] && address - board->base[index] < board->size[index])
            return (int)index;
    return -1;
}

static int board_read(void *context, uint64_t address, uint32_t *value)
{
    struct board *board = (struct board *)context;
    int at = board_window(board, address);
    return at < 0 ? -1 : board->bus[at].read(board->bus[at].context, address, value);
}

static int board_write(void *context, uint64_t address, uint32_t value)
{
    struct board *board = (struct board *)context;
    int at = board_window(board, address);
    return at < 0 ? -1 : board->bus[at].write(board->bus[at].context, address, value);
}

static int board_allocate(void *context, size_t size, struct shellgen_buffer *buffer)
{
    struct board *board = (struct board *)context;
    uint64_t start = (board->address + board->used + 63) / 64 * 64 - board->address;
    if (start + size > board->bytes)
        return -1;
    board->used = start + (size + 63) / 64 * 64;
    buffer->data = board->buffers + start;
    buffer->address = board->address + start;
    buffer->size = size;
    return 0;
}

static void board_nothing(void *context, const struct shellgen_buffer *buffer)
{
    (void)context;
    (void)buffer;
}

static int board_add(struct board *board, const char *path, uint64_t base, uint64_t size, uint32_t slot_bytes,
                     struct shellgen_error *error)
{
    uint32_t at = board->windows;
    if (at == SHELLGEN_WINDOWS)
        return shellgen_fail(error, "there are too many windows");
    board->base[at] = base;
    board->size[at] = size;
    board->windows++;
    return shellgen_open_device(&board->device[at], &board->bus[at], path, base, size, slot_bytes, error);
}

static int told_number(const char *name, const char *what, uint64_t *number, struct shellgen_error *error)
{
    char path[512];
    unsigned long long found = 0;
    FILE *file;
    int fields;
    snprintf(path, sizeof path, "/sys/class/u-dma-buf/%s/%s", name, what);
    file = fopen(path, "r");
    if (!file)
        return shellgen_fail(error, "%s: %s", path, strerror(errno));
    fields = strcmp(what, "phys_addr") ? fscanf(file, "%llu", &found) : fscanf(file, "%llx", &found);
    fclose(file);
    *number = found;
    return fields == 1 ? 0 : shellgen_fail(error, "%s: it tells no number", path);
}

static int board_buffers(struct board *board, const char *path, struct shellgen_error *error)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    void *data;
    int file;
    if (told_number(name, "phys_addr", &board->address, error) || told_number(name, "size", &board->bytes, error))
        return -1;
    file = open(path, O_RDWR | O_SYNC);
    if (file < 0)
        return shellgen_fail(error, "%s: %s", path, strerror(errno));
    data = mmap(NULL, (size_t)board->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (data == MAP_FAILED)
        return shellgen_fail(error, "%s: %s", path, strerror(errno));
    board->buffers = (uint8_t *)data;
    return 0;
}

int main(int count, char **arguments)
{
    const struct shellgen_node *node = &SHELLGEN_NODE;
    const char *device = "/dev/mem", *buffers = "/dev/udmabuf0";
    static struct board board;
    static struct shellgen_job job;
    static struct shellgen_files files;
    struct shellgen_bus bus = {&board, board_read, board_write};
    struct shellgen_memory memory = {&board, board_allocate, board_nothing, board_nothing, board_nothing, NULL};
    struct shellgen_error error = {""};
    double began;
    uint32_t dma;
    int index, result = 0;
    job.folder = ".";
    job.timeout = 10.0;
    for (index = 1; index < count && !result; index += 2) {
        const char *name = arguments[index], *value = index + 1 < count ? arguments[index + 1] : NULL;
        if (!value)
            result = -2;
        else if (strcmp(name, "--input") == 0)
            result = shellgen_enter(node, 0, value, files.input, &error);
        else if (strcmp(name, "--output") == 0)
            result = shellgen_enter(node, 1, value, files.output, &error);
        else if (strcmp(name, "--golden") == 0)
            result = shellgen_enter(node, 1, value, files.golden, &error);
        else if (strcmp(name, "--frames") == 0)
            job.frames = strtoull(value, NULL, 10);
        else if (strcmp(name, "--batch") == 0)
            job.batch = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(name, "--absent") == 0 && job.absent.count < SHELLGEN_MOST_ABSENT)
            job.absent.node[job.absent.count++] = value;
        else if (strcmp(name, "--timeout") == 0)
            job.timeout = strtod(value, NULL);
        else if (strcmp(name, "--folder") == 0)
            job.folder = value;
        else if (strcmp(name, "--device") == 0)
            device = value;
        else if (strcmp(name, "--buffers") == 0)
            buffers = value;
        else
            result = -2;
    }
    if (result == -2 || count == 1) {
        fprintf(stderr,
                "usage: %s --input [STREAM=]X.npy [--output [STREAM=]Y.npy] [--golden [STREAM=]Y.npy]\n"
                "    [--frames N] [--batch N] [--absent NODE] [--timeout SECONDS] [--folder GENERATED]\n"
                "    [--device /dev/mem] [--buffers /dev/udmabuf0]\n",
                arguments[0]);
        return 2;
    }
    if (!result)
        result = board_add(&board, device, node->base, node->span, node->slot_bytes, &error);
    for (dma = 0; !result && dma < node->dmas; dma++)
        result = board_add(&board, device, node->dma[dma].base, node->dma[dma].size, 4, &error);
    if (!result)
        result = shellgen_check(node, &bus, &error);
    if (!result)
        result = board_buffers(&board, buffers, &error);
    began = shellgen_now();
    if (!result)
        result = shellgen_run_files(node, &bus, &memory, &job, &files, &error);
    if (result)
        fprintf(stderr, "run_%s: %s\n", node->name, error.text);
    else
        printf("%s: %" PRIu64 " frames in %.3f s, files included\n", node->name, job.frames, shellgen_now() - began);
    return result < 0 ? 2 : result;
}

#endif
