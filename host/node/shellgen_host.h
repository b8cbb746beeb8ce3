/* SPDX-License-Identifier: BSD-3-Clause */
/* libshellgen_host: the core of one node as a program of your own uses it, by the code of shellgen-node. C11 and C++11.
 *
 * Functions that return int return 0, or -1 with one sentence in shellgen_error. Each struct of the caller's begins with its
 * size: set it to sizeof, and clear the rest. The library has no global state: two handles may be used by two threads, and one
 * handle by one thread at a time. How to compile it: docs/host.md. */
#ifndef SHELLGEN_LIBRARY_H
#define SHELLGEN_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SHELLGEN_API __attribute__((visibility("default")))
#else
#define SHELLGEN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define SHELLGEN_HOST_VERSION 1 /* of this header; the library has the same, or shellgen_open refuses */

/* The version of the library. */
SHELLGEN_API uint32_t shellgen_version(void);

struct shellgen_host; /* opaque */

/* Registers of your own: 32 bits at an address of the map, or at an offset of an XRT kernel as the map has it. Functions return
 * 0, or another value if the access was answered with an error. */
struct shellgen_host_registers {
    size_t size;
    void *context;
    int (*read)(void *context, uint64_t address, uint32_t *value);
    int (*write)(void *context, uint64_t address, uint32_t value);
};

struct shellgen_host_buffer {
    uint8_t *data;    /* for the processor */
    uint64_t address; /* for a DMA */
    size_t bytes;
};

/* Memory of your own that DMAs reach. `allocate` returns 0, or another value if there is none left. `flush` is called before a DMA
 * reads a buffer, `invalidate` before the processor reads what a DMA has written; `release` when nobody uses it any more. */
struct shellgen_host_memory {
    size_t size;
    void *context;
    int (*allocate)(void *context, size_t bytes, struct shellgen_host_buffer *buffer);
    void (*flush)(void *context, const struct shellgen_host_buffer *buffer);
    void (*invalidate)(void *context, const struct shellgen_host_buffer *buffer);
    void (*release)(void *context, const struct shellgen_host_buffer *buffer);
};

/* Texts are as the options of shellgen-node of that name; NULL where none is given. */
struct shellgen_host_options {
    size_t size;
    uint32_t version;      /* SHELLGEN_HOST_VERSION */
    const char *map;       /* memory_map.json of the node or of the cluster */
    const char *node;      /* which node of it */
    const char *registers; /* board: NULL for /dev/mem */
    const char *buffers;   /* board: memory of the DMAs; NULL if no frames are moved */
    const char *sysfs;     /* board: NULL for /sys */
    const char *weights;   /* folder from which the map names files of external weights */
    const char *device;    /* card: its number, or for XRT its PCIe address */
    const char *xclbin;    /* card behind XRT */
    const struct shellgen_host_registers *own_registers; /* instead of board and card */
    const struct shellgen_host_memory *own_memory;       /* the same, if frames are moved */
};

/* Open a node. There is a handle also after an error, for its sentence, unless there is no memory; close it in any case. */
SHELLGEN_API int shellgen_open(const struct shellgen_host_options *options, struct shellgen_host **host);
SHELLGEN_API void shellgen_close(struct shellgen_host *host);

/* What the last function has found wrong, or "". It is valid until the next call with this handle. */
SHELLGEN_API const char *shellgen_error(const struct shellgen_host *host);

/* ---- registers */

/* The build that the map is for, and the one that the core is. Fails where no core of shellgen answers. */
SHELLGEN_API int shellgen_build(struct shellgen_host *host, uint64_t *of_map, uint64_t *of_core);
/* Fails unless both are the same. */
SHELLGEN_API int shellgen_check(struct shellgen_host *host);
SHELLGEN_API int shellgen_read(struct shellgen_host *host, uint64_t address, uint32_t *value);
SHELLGEN_API int shellgen_write(struct shellgen_host *host, uint64_t address, uint32_t value);

/* ---- weights */

struct shellgen_host_load {
    size_t size;
    const char *folder; /* <region>.dat, or FINN's names */
    int check;          /* 1: compare only */
    int partial;        /* 1: not every memory needs a file */
    /* Told how much of the whole is done, or NULL. It returns 0 to go on. */
    int (*progress)(void *context, uint64_t done, uint64_t of);
    void *context;
    uint32_t memories;  /* out: that had a file */
    uint64_t registers; /* out: of these */
};

/* Write the memories of the core and read them back. All files are read before the first access. Then FINN's layers need one frame
 * whose result is dropped. */
SHELLGEN_API int shellgen_load(struct shellgen_host *host, struct shellgen_host_load *job);

/* ---- bring-up */

struct shellgen_host_value {
    const char *name;
    uint32_t value;
};

struct shellgen_host_bring_up {
    size_t size;
    const struct shellgen_host_value *values; /* that only you know, by the names that the map has for them */
    size_t count;
    uint32_t phase; /* from 1; 0 for all */
    double timeout; /* seconds to wait for a register; 0 for 10 */
    /* Returns 0 when all nodes of the cluster have come so far, or another value to stop; NULL where you cannot see the others. */
    int (*barrier)(void *context);
    void *context;
    uint32_t done; /* out: steps */
};

/* Do what links need before the first frame, of these nodes, all opened with the same map. The sentence is that of the first. */
SHELLGEN_API int shellgen_bring_up(struct shellgen_host *const *hosts, size_t count, struct shellgen_host_bring_up *job);

/* ---- frames */

struct shellgen_host_stream {
    size_t size;
    const char *boundary, *port; /* out: valid as long as the node is open */
    int enters;                  /* out: into the core */
    int weights;                 /* out: one frame of external weights, which the library sends by itself */
    int moved;                   /* out: it passes the host's memory, so a run has its frames */
    uint32_t frame_bytes;        /* out */
};

SHELLGEN_API uint32_t shellgen_streams(const struct shellgen_host *host);
SHELLGEN_API int shellgen_stream(struct shellgen_host *host, uint32_t index, struct shellgen_host_stream *stream);

struct shellgen_host_run {
    size_t size;
    uint64_t frames;           /* of the node; a stream of a replica has its share of them */
    uint32_t batch;            /* frames of a transfer; 0: chosen */
    double timeout;            /* seconds without movement that end it; 0 for 10 */
    const char *const *absent; /* replicas without a turn, by the names of their nodes */
    size_t absent_count;
    uint8_t *const *data; /* by stream: packed frames, one behind the other; those that leave are filled */
    size_t streams;       /* entries of `data` */
    /* Told how many frames have come through all streams, or NULL; now and then. It returns 0 to go on. */
    int (*progress)(void *context, uint64_t done, uint64_t of);
    void *context;
    uint32_t batch_used;                       /* out */
    int marked;                                /* out: results are there, and some are not what they should be */
    uint32_t first_marked, last_marked;        /* out: frames among which these are */
};

/* The frames of a stream in such a run. */
SHELLGEN_API int shellgen_share(struct shellgen_host *host, const struct shellgen_host_run *job, uint32_t stream, uint64_t *frames);

/* Reset the core and what moves its frames, move them, compare the core's counters and flags with what was moved, and leave
 * everything at rest. With `marked`, the result is 0, and shellgen_error says which frames. */
SHELLGEN_API int shellgen_run(struct shellgen_host *host, struct shellgen_host_run *job);

/* ---- beside that */

/* Continue a CRC-32C (RFC 3720) over further bytes; begin with 0. */
SHELLGEN_API uint32_t shellgen_crc32c(uint32_t before, const void *data, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
