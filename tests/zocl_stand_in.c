/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands for XRT's driver zocl in a process that preloads it: a file renderD128 is the memory of the board, and each piece of it has a
 * cache, which only SYNC_BO writes back to the file or reads from there. $ZOCL_BASE is the address of the file's first byte, $ZOCL_DRIVER
 * the name of the driver. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECES = 64 };
static struct {
    uint64_t offset, size;
    uint8_t *cache;
} pieces[PIECES];
static int count;
static uint64_t used;

static int is_ours(int file)
{
    char link[64], path[4096];
    ssize_t length;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return strstr(path, "/renderD") != NULL;
}

static int refused(int error)
{
    errno = error;
    return -1;
}

static int create(int file, uint8_t *at)
{
    struct stat about;
    uint64_t size;
    uint32_t flags;
    memcpy(&size, at, 8);
    memcpy(&flags, at + 12, 4);
    if (fstat(file, &about) || flags != 1u << 24 || size % 4096)
        return refused(EINVAL);
    if (count == PIECES || used + size > (uint64_t)about.st_size)
        return refused(ENOMEM);
    pieces[count].offset = used;
    pieces[count].size = size;
    used += size;
    count++;
    memcpy(at + 8, &count, 4);
    return 0;
}

static int sync_piece(int file, int piece, const uint8_t *at)
{
    uint64_t offset, size;
    uint32_t direction;
    memcpy(&direction, at + 4, 4);
    memcpy(&offset, at + 8, 8);
    memcpy(&size, at + 16, 8);
    if (!pieces[piece].cache || offset > pieces[piece].size || size > pieces[piece].size - offset || direction > 1)
        return refused(EINVAL);
    if (direction)
        return pread(file, pieces[piece].cache + offset, size, (off_t)(pieces[piece].offset + offset)) == (ssize_t)size ? 0 : -1;
    return pwrite(file, pieces[piece].cache + offset, size, (off_t)(pieces[piece].offset + offset)) == (ssize_t)size ? 0 : -1;
}

int ioctl(int file, unsigned long request, ...)
{
    int (*next)(int, unsigned long, ...) = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
    const char *base = getenv("ZOCL_BASE"), *driver = getenv("ZOCL_DRIVER");
    va_list arguments;
    uint8_t *at;
    uint64_t value;
    int32_t piece;
    va_start(arguments, request);
    at = va_arg(arguments, uint8_t *);
    va_end(arguments);
    if (!is_ours(file) || (request >> 8 & 0xFF) != 'd')
        return next(file, request, at);
    if ((request & 0xFF) == 0) { /* the version: bytes of the name, and where it goes */
        size_t length = strlen(driver), room;
        char *name;
        memcpy(&room, at + 16, 8);
        memcpy(&name, at + 24, 8);
        memcpy(name, driver, length < room ? length : room);
        memcpy(at + 16, &length, 8);
        return 0;
    }
    if ((request & 0xFF) == 0x40)
        return create(file, at);
    memcpy(&piece, at, 4);
    if (piece < 1 || piece > count)
        return refused(EINVAL);
    piece--;
    switch (request & 0xFF) {
    case 0x43: /* the offset to map it */
        memcpy(at + 8, &pieces[piece].offset, 8);
        return 0;
    case 0x44:
        return sync_piece(file, piece, at);
    case 0x45: /* its size and address */
        memcpy(at + 8, &pieces[piece].size, 8);
        value = strtoull(base, NULL, 0) + pieces[piece].offset;
        memcpy(at + 16, &value, 8);
        return 0;
    default:
        return refused(EINVAL);
    }
}

void *mmap(void *wanted, size_t bytes, int protection, int flags, int file, off_t offset)
{
    void *(*next)(void *, size_t, int, int, int, off_t) = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
    int piece;
    if (file < 0 || !is_ours(file))
        return next(wanted, bytes, protection, flags, file, offset);
    for (piece = 0; piece < count; piece++)
        if (pieces[piece].offset == (uint64_t)offset) {
            pieces[piece].cache = next(wanted, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            memset(pieces[piece].cache, 0xA5, bytes);
            return pieces[piece].cache;
        }
    errno = EINVAL;
    return MAP_FAILED;
}

void *mmap64(void *wanted, size_t bytes, int protection, int flags, int file, off_t offset)
{
    return mmap(wanted, bytes, protection, flags, file, offset);
}
