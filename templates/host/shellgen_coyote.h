/* SPDX-License-Identifier: BSD-3-Clause */
/* A vFPGA of a card that runs Coyote, as functions of C: shellgen_coyote_v2.cpp and shellgen_coyote_v1.cpp have them,
 * each for the classes of its version. They return NULL or -1 where something is wrong, and `text` says what. */
#ifndef SHELLGEN_COYOTE_H
#define SHELLGEN_COYOTE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct shellgen_coyote;

/* The version of Coyote that the library is for. */
uint32_t shellgen_coyote_version(void);

struct shellgen_coyote *shellgen_coyote_open(uint32_t card, uint32_t vfpga, char *text, size_t size);

/* Give all memory back; nothing may use it any more. */
void shellgen_coyote_close(struct shellgen_coyote *coyote);

/* Registers of the user's window: 64 bits each, by their number. A write does not wait for its answer. */
int shellgen_coyote_read(struct shellgen_coyote *coyote, uint32_t index, uint64_t *value, char *text, size_t size);
int shellgen_coyote_write(struct shellgen_coyote *coyote, uint32_t index, uint64_t value, char *text, size_t size);

/* Memory that host stream `dest` reaches, in huge pages or in ordinary ones. */
void *shellgen_coyote_memory(struct shellgen_coyote *coyote, uint32_t dest, size_t bytes, int huge, char *text,
                             size_t size);

/* Memory for a ring of the core, as long as the vFPGA is open, and the thread in whose page table it is. */
void *shellgen_coyote_ring(struct shellgen_coyote *coyote, int card, size_t bytes, int huge, uint32_t *thread, char *text,
                           size_t size);

/* Begin a transfer from memory to the core, or from the core to memory (tx), behind those that were begun before. */
int shellgen_coyote_begin(struct shellgen_coyote *coyote, uint32_t dest, int tx, void *data, uint32_t bytes, char *text,
                          size_t size);

/* Tell how many transfers have ended since the vFPGA was opened, modulo 2**32. */
int shellgen_coyote_ended(struct shellgen_coyote *coyote, uint32_t dest, int tx, uint32_t *count, char *text,
                          size_t size);

#ifdef __cplusplus
}
#endif
#endif
