/* SPDX-License-Identifier: BSD-3-Clause */
/* Bring a cluster up: what its links need before the first frame, for the program of a card under Coyote; what
 * shellgen_bring_up.py does, in C11.
 *
 * Nothing is written before every core has shown the build id of memory_map.h. What lies between two barriers is a phase:
 * where boards hang on several hosts, each host runs phase 1 for its own, and phase 2 when all of them have finished.
 */
#include "shellgen_host.h"

#include <errno.h>
#include <time.h>

/* What to do: pointers into arrays of the caller, one bus for each node of memory_map.h; NULL for one that this host
 * does not bring up. */
struct shellgen_bring_up {
    const struct shellgen_bus *const *bus;
    const char *const *names; /* of the values that are given */
    const uint32_t *values;
    uint32_t given;
    uint32_t phase; /* from 1; 0 for all */
    double timeout; /* seconds to wait for a register */
    /* Returns when all nodes of the cluster have come so far, 0, or -1 with a message; NULL where this program cannot see
     * the others. */
    int (*barrier)(void *context, struct shellgen_error *error);
    void *context;
};

/* Values that only the user knows, by the names that steps have for them; see shellgen_give. */
struct shellgen_given {
    const char *names[SHELLGEN_STEPS + 1];
    uint32_t values[SHELLGEN_STEPS + 1];
    uint32_t count;
};

static uint32_t node_index(const struct shellgen_node *node)
{
    uint32_t index = 0;
    while (shellgen_nodes[index] != node)
        index++;
    return index;
}

/* Return whether a step is to be done here; count the phases on the way. */
static int is_chosen(const struct shellgen_bring_up *job, const struct shellgen_step *step, uint32_t *phase)
{
    if (!step->node) {
        ++*phase;
        return 0;
    }
    return job->bus[node_index(step->node)] && (!job->phase || job->phase == *phase);
}

/* Find the value of a step: 0, or -1 if it is only named and not given. */
static int value_of(const struct shellgen_bring_up *job, const struct shellgen_step *step, uint32_t *value)
{
    uint32_t index;
    *value = step->value;
    if (!step->named[0])
        return 0;
    for (index = 0; index < job->given; index++)
        if (strcmp(job->names[index], step->named) == 0) {
            *value = job->values[index];
            return 0;
        }
    return -1;
}

/* Check the phase and the values before the first access. */
static int check_job(const struct shellgen_bring_up *job, struct shellgen_error *error)
{
    uint32_t index, node, here = 0, phase = 1, phases = 1, value;
    const uint32_t steps = SHELLGEN_STEPS;
    for (index = 0; index < steps; index++)
        phases += !shellgen_steps[index].node;
    if (job->phase > phases)
        return shellgen_fail(error, "--phase %" PRIu32 ": there are %" PRIu32 ", from 1", job->phase, phases);
    for (node = 0; node < SHELLGEN_NODES; node++)
        for (index = 0; index < steps; index++)
            if (job->bus[node] && shellgen_steps[index].node == shellgen_nodes[node]) {
                here++;
                break;
            }
    if (!job->phase && !job->barrier && phases > 1 && here < SHELLGEN_BRING_UP_NODES)
        return shellgen_fail(error,
                             "there are %" PRIu32 " phases, and other nodes must keep up; run --phase 1 for all of "
                             "them, then --phase 2",
                             phases);
    for (index = 0; index < steps; index++)
        if (is_chosen(job, &shellgen_steps[index], &phase) && value_of(job, &shellgen_steps[index], &value))
            return shellgen_fail(error, "no value is given for %s; add --set %s=...", shellgen_steps[index].named,
                                 shellgen_steps[index].named);
    return 0;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int answered_with_error(const struct shellgen_step *step, struct shellgen_error *error)
{
    return shellgen_fail(error, "%s: %s at %#" PRIx64 ": answered with an error", step->node->name, step->place,
                         step->at);
}

/* Add why a register was waited for in vain, as another one tells it. */
static void add_reason(const struct shellgen_step *step, const struct shellgen_bus *bus, struct shellgen_error *error)
{
    const struct shellgen_reason *reason = step->reason;
    uint32_t index, found;
    const char *comma = ": ";
    if (!reason || bus->read(bus->context, reason->at, &found) || !found)
        return;
    shellgen_add(error, "; %s reads 0x%08" PRIx32, reason->place, found);
    for (index = 0; index < reason->count; index++)
        if (found & reason->bits[index].mask) {
            shellgen_add(error, "%s%s", comma, reason->bits[index].about);
            comma = ", ";
        }
}

static int one_step(const struct shellgen_bring_up *job, const struct shellgen_step *step,
                    const struct shellgen_bus *bus, struct shellgen_error *error)
{
    const struct timespec pause = {0, 1000000};
    uint32_t found, value, back;
    double end, next;
    value_of(job, step, &value);
    if (step->op == SHELLGEN_WRITE)
        return bus->write(bus->context, step->at, value) ? answered_with_error(step, error) : 0;
    next = seconds() + job->timeout / 10;
    end = seconds() + job->timeout;
    for (;;) {
        if (bus->read(bus->context, step->at, &found))
            return answered_with_error(step, error);
        if (!((found ^ value) & step->mask))
            return 0;
        if (seconds() >= end) {
            shellgen_fail(error,
                          "%s: %s at %#" PRIx64 ": read 0x%08" PRIx32 ", wanted 0x%08" PRIx32
                          " in the bits 0x%08" PRIx32 " within %g s%s%s",
                          step->node->name, step->place, step->at, found, value & step->mask, step->mask,
                          job->timeout, step->about[0] ? ": " : "", step->about);
            add_reason(step, bus, error);
            return -1;
        }
        if (step->again && seconds() >= next) {
            next = seconds() + job->timeout / 10;
            for (back = step->again; back; back--)
                if (one_step(job, step - back, bus, error))
                    return -1;
        }
        nanosleep(&pause, NULL);
    }
}

/* Do the steps of the nodes that have a bus, and count them. Return 0, or -1 with a message. */
int shellgen_bring_up(const struct shellgen_bring_up *job, uint32_t *done, struct shellgen_error *error);

int shellgen_bring_up(const struct shellgen_bring_up *job, uint32_t *done, struct shellgen_error *error)
{
    uint8_t checked[SHELLGEN_NODES] = {0};
    uint32_t index, node, phase = 1;
    const uint32_t steps = SHELLGEN_STEPS;
    error->text[0] = '\0';
    *done = 0;
    if (check_job(job, error))
        return -1;
    for (index = 0; index < steps; index++) {
        if (!is_chosen(job, &shellgen_steps[index], &phase))
            continue;
        node = node_index(shellgen_steps[index].node);
        if (!checked[node] && shellgen_check(shellgen_nodes[node], job->bus[node], error))
            return -1;
        checked[node] = 1;
    }
    phase = 1;
    for (index = 0; index < steps; index++) {
        if (!shellgen_steps[index].node && !job->phase && job->barrier && job->barrier(job->context, error))
            return -1;
        if (!is_chosen(job, &shellgen_steps[index], &phase))
            continue;
        if (one_step(job, &shellgen_steps[index], job->bus[node_index(shellgen_steps[index].node)], error))
            return -1;
        ++*done;
    }
    return 0;
}

/* Enter a text NAME=VALUE. */
int shellgen_give(struct shellgen_given *given, const char *text, struct shellgen_error *error);

int shellgen_give(struct shellgen_given *given, const char *text, struct shellgen_error *error)
{
    const char *equals = strchr(text, '='), *known = NULL;
    char *end = NULL;
    unsigned long long value = 0;
    uint32_t index, at;
    const uint32_t steps = SHELLGEN_STEPS;
    errno = 0;
    if (equals)
        value = strtoull(equals + 1, &end, 0);
    if (!equals || end == equals + 1 || *end || equals[1] == '-')
        return shellgen_fail(error, "--set %.200s: give it as NAME=VALUE, with a number", text);
    if (errno || value >> 32)
        return shellgen_fail(error, "--set %.200s: a value has 32 bits", text);
    for (index = 0; index < steps && !known; index++)
        if (strlen(shellgen_steps[index].named) == (size_t)(equals - text) &&
            strncmp(shellgen_steps[index].named, text, (size_t)(equals - text)) == 0)
            known = shellgen_steps[index].named;
    if (!known || equals == text)
        return shellgen_fail(error, "--set %.200s: memory_map.h does not name it", text);
    for (at = 0; at < given->count && strcmp(given->names[at], known) != 0; at++)
        continue;
    given->names[at] = known;
    given->values[at] = (uint32_t)value;
    given->count += at == given->count;
    return 0;
}
