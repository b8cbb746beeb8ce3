/* SPDX-License-Identifier: BSD-3-Clause */
/* A bus through a device such as /dev/mem: aligned accesses of 32 bits, or of 64 where a register is the lower half
 * of 64. An address that the interconnect answers with an error ends the process with SIGBUS on ARM. POSIX. */
#ifndef SHELLGEN_DEVICE_H
#define SHELLGEN_DEVICE_H

#include "shellgen_host.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct shellgen_device {
    volatile uint8_t *window;
    size_t size;
    uint64_t base;
    uint32_t slot_bytes;
};

static inline int shellgen_device_read(void *context, uint64_t address, uint32_t *value)
{
    const struct shellgen_device *device = (const struct shellgen_device *)context;
    volatile uint8_t *at = device->window + (address - device->base);
    if (address < device->base || address - device->base + device->slot_bytes > device->size)
        return -1;
    *value = device->slot_bytes == 8 ? (uint32_t) * (volatile uint64_t *)at : *(volatile uint32_t *)at;
    return 0;
}

static inline int shellgen_device_write(void *context, uint64_t address, uint32_t value)
{
    const struct shellgen_device *device = (const struct shellgen_device *)context;
    volatile uint8_t *at = device->window + (address - device->base);
    if (address < device->base || address - device->base + device->slot_bytes > device->size)
        return -1;
    if (device->slot_bytes == 8)
        *(volatile uint64_t *)at = value;
    else
        *(volatile uint32_t *)at = value;
    return 0;
}

/* Map a window of the device and make a bus of it. */
static inline int shellgen_open_device(struct shellgen_device *device, struct shellgen_bus *bus, const char *path,
                                       uint64_t base, uint64_t span, uint32_t slot_bytes,
                                       struct shellgen_error *error)
{
    struct stat about;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    int file = open(path, O_RDWR | O_SYNC);
    void *window;
    if (file < 0)
        return shellgen_fail(error, "%s: %s", path, strerror(errno));
    device->base = base / page * page;
    device->size = (size_t)(base + span - device->base);
    device->slot_bytes = slot_bytes;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && (uint64_t)about.st_size < base + span) {
        close(file);
        return shellgen_fail(error, "%s: it ends before %#" PRIx64, path, base + span);
    }
    window = mmap(NULL, device->size, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)device->base);
    close(file);
    if (window == MAP_FAILED)
        return shellgen_fail(error, "%s: %s", path, strerror(errno));
    device->window = (volatile uint8_t *)window;
    bus->context = device;
    bus->read = shellgen_device_read;
    bus->write = shellgen_device_write;
    return 0;
}

#endif
