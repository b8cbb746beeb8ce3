/* SPDX-License-Identifier: BSD-3-Clause */
/* What a source file of yours offers to run_<node> if it is compiled in (cmake -DSHELLGEN_HOOK=<file>): it sets up what
 * lies beside the core before the links are brought up, and keeps that alive as long as the program runs. docs/coyote.md
 * has one for ACCL. Functions return 0, or another value and what is wrong in `text`. */
#ifndef SHELLGEN_HOOK_H
#define SHELLGEN_HOOK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct shellgen_hook {
    const char *node;
    uint32_t device, vfpga;
    /* Give a value that memory_map.json only names; a name that this node does not ask for is ignored. */
    void (*give)(struct shellgen_hook *hook, const char *name, uint32_t value);
    void *given;
};

/* Called when the core has shown the right build id, before anything is written. */
int shellgen_hook_begin(struct shellgen_hook *hook, char *text, size_t size);

/* Called at each barrier: return when all nodes of the cluster have called it. */
int shellgen_hook_barrier(struct shellgen_hook *hook, char *text, size_t size);

/* Called at the end, also of a run that failed. */
void shellgen_hook_end(struct shellgen_hook *hook);

#ifdef __cplusplus
}
#endif
#endif
