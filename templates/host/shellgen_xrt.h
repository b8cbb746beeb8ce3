/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers of kernels through XRT, as functions of C: see shellgen_xrt.cpp. */
#ifndef SHELLGEN_XRT_H
#define SHELLGEN_XRT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct shellgen_xrt_card;

/* Open a card by its number or its PCIe address (0000:65:00.1), and load an xclbin; one that it has already stays. All
 * functions return NULL or -1 where something is wrong, and `text` is XRT's message. */
struct shellgen_xrt_card *shellgen_xrt_open(const char *device, const char *xclbin, char *text, size_t size);

/* Open a kernel by <kernel>:{<instance>} and return its number. No other process can open it meanwhile. */
int shellgen_xrt_ip(struct shellgen_xrt_card *card, const char *name, char *text, size_t size);

int shellgen_xrt_read(struct shellgen_xrt_card *card, int ip, uint32_t offset, uint32_t *value, char *text,
                      size_t size);
int shellgen_xrt_write(struct shellgen_xrt_card *card, int ip, uint32_t offset, uint32_t value, char *text,
                       size_t size);

/* Take bytes of a bank, HBM[0] or DDR[1], which no program but the core uses, and tell where they begin. The returned number
 * is for shellgen_xrt_give. */
int shellgen_xrt_take(struct shellgen_xrt_card *card, const char *bank, uint64_t bytes, uint64_t *address, char *text,
                      size_t size);

/* Give such bytes back; the core must be at rest. */
void shellgen_xrt_give(struct shellgen_xrt_card *card, int number);

/* Give all of its kernels and bytes back. */
void shellgen_xrt_close(struct shellgen_xrt_card *card);

#ifdef __cplusplus
}
#endif
#endif
