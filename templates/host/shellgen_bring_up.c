/* SPDX-License-Identifier: BSD-3-Clause */
/* Bring a cluster up: what its links need before the first frame; what shellgen_bring_up.py does, in C11.
 *
 *   cc -std=c11 -O2 -Ized0 host/shellgen_bring_up.c -o shellgen_bring_up
 *   ./shellgen_bring_up [--phase K] [--set NAME=VALUE] [--timeout S] [--dry-run] [--device [NODE=]/dev/mem]
 *       [--xclbin [NODE=]FILE] [NODE...]
 *
 * Without a NODE, all nodes of memory_map.h. Nothing is written before every core has shown the build id of
 * memory_map.h. What lies between two barriers is a phase: where boards hang on several hosts, each host runs phase 1
 * for its own, and phase 2 when all of them have finished. With SHELLGEN_NO_MAIN defined, only the functions are
 * there: give them a bus of your own for each node.
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

#ifndef SHELLGEN_NO_MAIN
#include "shellgen_open.h"

enum { MOST_PLACES = 2 * SHELLGEN_NODES };

struct options {
    const char *device[MOST_PLACES], *xclbin[MOST_PLACES]; /* [NODE=]VALUE */
    uint32_t devices, xclbins;
    int dry_run;
    struct shellgen_given given;
    struct shellgen_bring_up job;
};

/* Read the command line; a NODE gets `chosen`, for a bus that is opened later. */
static int read_options(struct options *options, int count, char **arguments, const struct shellgen_bus *chosen,
                        const struct shellgen_bus **buses, struct shellgen_error *error)
{
    const struct shellgen_node *node;
    int index, names = 0;
    char *end;
    for (index = 1; index < count; index++) {
        const char *name = arguments[index];
        if (strcmp(name, "--dry-run") == 0) {
            options->dry_run = 1;
        } else if (name[0] != '-') {
            node = shellgen_find(name, error);
            if (!node)
                return -1;
            buses[node_index(node)] = chosen;
            names++;
        } else if (index + 1 == count) {
            return shellgen_fail(error, "%.200s: no such option, or it needs a value", name);
        } else if (strcmp(name, "--device") == 0 && options->devices < MOST_PLACES) {
            options->device[options->devices++] = arguments[++index];
        } else if (strcmp(name, "--xclbin") == 0 && options->xclbins < MOST_PLACES) {
            options->xclbin[options->xclbins++] = arguments[++index];
        } else if (strcmp(name, "--set") == 0) {
            if (shellgen_give(&options->given, arguments[++index], error))
                return -1;
        } else if (strcmp(name, "--phase") == 0) {
            options->job.phase = (uint32_t)strtoul(arguments[++index], &end, 10);
            if (*end || !options->job.phase)
                return shellgen_fail(error, "--phase %.200s: phases are numbered from 1", arguments[index]);
        } else if (strcmp(name, "--timeout") == 0) {
            options->job.timeout = strtod(arguments[++index], &end);
            if (*end || !(options->job.timeout > 0))
                return shellgen_fail(error, "--timeout %.200s: give some seconds", arguments[index]);
        } else {
            return shellgen_fail(error, "%.200s: no such option", name);
        }
    }
    for (index = 0; !names && index < SHELLGEN_NODES; index++)
        buses[index] = chosen;
    options->job.names = options->given.names;
    options->job.values = options->given.values;
    options->job.given = options->given.count;
    return 0;
}

static void show(const struct shellgen_bring_up *job)
{
    uint32_t index, value, phase = 1;
    const uint32_t steps = SHELLGEN_STEPS;
    for (index = 0; index < steps; index++) {
        const struct shellgen_step *step = &shellgen_steps[index];
        if (!is_chosen(job, step, &phase))
            continue;
        printf("%s: %s at %#" PRIx64 ": %s = ", step->node->name, step->place, step->at,
               step->op == SHELLGEN_WRITE ? "write" : "until");
        if (value_of(job, step, &value))
            printf("%s", step->named);
        else
            printf("0x%08" PRIx32, value);
        if (step->op == SHELLGEN_UNTIL)
            printf(" in the bits 0x%08" PRIx32, step->mask);
        printf("%s%s\n", step->about[0] ? ", " : "", step->about);
    }
}

static int is_behind_xrt(const struct shellgen_node *node)
{
    return strcmp(node->bus, "xrt") == 0;
}

/* Return -1 with a message if a value is for no node. */
static int check_names(const char *option, const char *const *values, uint32_t count, struct shellgen_error *error)
{
    uint32_t index, node;
    for (index = 0; index < count; index++) {
        const char *equals = strchr(values[index], '=');
        size_t length = equals ? (size_t)(equals - values[index]) : 0;
        for (node = 0; equals && node < SHELLGEN_NODES; node++)
            if (strncmp(shellgen_nodes[node]->name, values[index], length) == 0 && !shellgen_nodes[node]->name[length])
                break;
        if (equals && node == SHELLGEN_NODES)
            return shellgen_fail(error, "%s %.200s: there is no such node in memory_map.h", option, values[index]);
    }
    return 0;
}

/* See that each card behind XRT is told, and none twice. */
static int check_places(const struct options *options, const struct shellgen_bus *const *buses,
                        struct shellgen_error *error)
{
    const char *taken[SHELLGEN_NODES];
    uint32_t node, other, behind = 0;
    if (check_names("--device", options->device, options->devices, error) ||
        check_names("--xclbin", options->xclbin, options->xclbins, error))
        return -1;
    for (node = 0; node < SHELLGEN_NODES; node++)
        behind += buses[node] && is_behind_xrt(shellgen_nodes[node]);
    for (node = 0; node < SHELLGEN_NODES; node++) {
        const char *name = shellgen_nodes[node]->name;
        taken[node] = NULL;
        if (!buses[node] || !is_behind_xrt(shellgen_nodes[node]))
            continue;
        taken[node] = shellgen_of_node(shellgen_nodes[node], options->device, options->devices);
        if (!taken[node] && behind > 1)
            return shellgen_fail(error, "%s: say which card it is: --device %s=..., as xbutil examine lists them", name,
                                 name);
        for (other = 0; other < node; other++)
            if (taken[node] && taken[other] && strcmp(taken[node], taken[other]) == 0)
                return shellgen_fail(error, "--device: %s and %s are both on card %s", shellgen_nodes[other]->name,
                                     name, taken[node]);
    }
    return 0;
}

int main(int count, char **arguments)
{
    static struct options options;
    static struct shellgen_opened nodes[SHELLGEN_NODES];
    static struct shellgen_bus opened[SHELLGEN_NODES];
    const struct shellgen_bus *buses[SHELLGEN_NODES] = {NULL};
    struct shellgen_error error = {""};
    uint32_t node, done = 0;
    options.job.timeout = 10.0;
    options.job.bus = buses;
    if (read_options(&options, count, arguments, &opened[0], buses, &error) == 0) {
        if (options.dry_run) {
            show(&options.job);
            return 0;
        }
        check_places(&options, buses, &error);
        for (node = 0; node < SHELLGEN_NODES && !error.text[0]; node++) {
            if (!buses[node])
                continue;
            buses[node] = &opened[node];
            shellgen_open_node(&nodes[node], &opened[node], shellgen_nodes[node],
                               shellgen_of_node(shellgen_nodes[node], options.device, options.devices),
                               shellgen_of_node(shellgen_nodes[node], options.xclbin, options.xclbins), &error);
        }
        if (!error.text[0] && shellgen_bring_up(&options.job, &done, &error) == 0) {
            printf("%" PRIu32 " %s done\n", done, done == 1 ? "step" : "steps");
            return 0;
        }
    }
    fprintf(stderr, "shellgen_bring_up: %s\n", error.text);
    return 2;
}
#endif
