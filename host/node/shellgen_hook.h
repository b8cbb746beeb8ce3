/* SPDX-License-Identifier: BSD-3-Clause */
/* What a source file of yours offers to shellgen-node if it is compiled in (cmake -DSHELLGEN_HOOK=<file>): it sets up what
 * lies beside the core of a card that runs Coyote, and keeps that alive as long as the server runs. docs/coyote.md has one
 * for ACCL. The server does nothing else meanwhile, and these functions are called in its one thread. */
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
    /* Give a value that memory_map.json only names; --set has priority, and a name that this node does not ask for is ignored. */
    void (*give)(struct shellgen_hook *hook, const char *name, uint32_t value);
    void *given;
};

/* Called once, when the core has shown the right build id, before anything is written and before the server listens. It may wait
 * for the other cards. Returns 0, or another value and what is wrong in `text`. */
int shellgen_hook_begin(struct shellgen_hook *hook, char *text, size_t size);

/* Called at the end of the server, when nothing of the core moves any more; also if it could not start. */
void shellgen_hook_end(struct shellgen_hook *hook);

#ifdef __cplusplus
}
#endif
#endif
