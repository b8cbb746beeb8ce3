/* SPDX-License-Identifier: BSD-3-Clause */
/* Load weights and thresholds into a shellgen core, and prove that they arrived, for the program of a card under Coyote; what
 * shellgen_load.py does, in C11.
 *
 * Nothing is written before the core has shown the build id of memory_map.h. Files are <region>.dat, as `shellgen
 * weights` writes them, or FINN's own <partition>_<interface>_<layer>.dat. After a load FINN needs one frame whose
 * result is dropped.
 */
#include "shellgen_host.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>

enum { SHELLGEN_CHECK = 1, SHELLGEN_PARTIAL = 2 };

/* What was loaded; the caller clears it, and may say who is told how many of the regions are done, of twice their number:
 * written, and read back. */
struct shellgen_loaded {
    uint32_t memories;
    uint64_t registers;
    void (*progress)(void *context, uint32_t done, uint32_t of);
    void *context;
};

static int is_stored(const struct shellgen_region *region, uint32_t word)
{
    uint32_t row = word / region->row_words;
    return word % region->row_words < region->row_used && row % region->group_rows < region->group_used;
}

static const char *layer_of(const struct shellgen_region *region)
{
    return region->layer[0] ? region->layer : region->name;
}

/* ---- files */

/* Tell whether FINN calls the file of this region so. */
static int is_finn_name(const struct shellgen_region *region, const char *file)
{
    char *rest;
    const char *digits = strrchr(region->name, '_');
    size_t length = strlen(region->partition);
    unsigned long index;
    if (!isdigit((unsigned char)file[0]))
        return 0;
    strtoul(file, &rest, 10);
    if (*rest != '_' || !isdigit((unsigned char)rest[1]))
        return 0;
    index = strtoul(rest + 1, &rest, 10);
    if (*rest != '_' || !digits || index != strtoul(digits + 1, NULL, 10))
        return 0;
    rest++;
    if (strncmp(rest, region->partition, length) == 0 && rest[length] == '_' &&
        strncmp(region->layer, region->partition, length) != 0)
        rest += length + 1;
    length = strlen(layer_of(region));
    return strncmp(rest, layer_of(region), length) == 0 && strcmp(rest + length, ".dat") == 0;
}

/* Find a region's file: 1 if there is one, 0 if not, -1 if it may be several. */
static int find_file(const struct shellgen_region *region, const char *folder, char *path, size_t size,
                     struct shellgen_error *error)
{
    FILE *file;
    DIR *listing;
    struct dirent *entry;
    int found = 0;
    snprintf(path, size, "%s/%s", folder, region->dat);
    file = fopen(path, "r");
    if (file) {
        fclose(file);
        return 1;
    }
    listing = opendir(folder);
    if (!listing)
        return shellgen_fail(error, "%s: %s", folder, strerror(errno));
    while ((entry = readdir(listing)) != NULL) {
        if (!is_finn_name(region, entry->d_name))
            continue;
        if (found++) {
            closedir(listing);
            return shellgen_fail(error, "%s: several files may be layer %s; rename one to %s", folder,
                                 layer_of(region), region->dat);
        }
        snprintf(path, size, "%s/%s", folder, entry->d_name);
    }
    closedir(listing);
    return found;
}

/* Compare how a file says that it was packed with how the memory is: equal lengths prove nothing. */
static int check_folding(const struct shellgen_region *region, const char *path, const char *line,
                         struct shellgen_error *error)
{
    const char *names[] = {"word_bits", "element_bits", "pe",         "simd",       "words",
                           "lanes",     "row_words",    "row_used",   "group_rows", "group_used"};
    const uint32_t values[] = {region->word_bits, region->element_bits, region->pe,
                               region->simd,      region->words,        region->lanes,
                               region->row_words, region->row_used,     region->group_rows,
                               region->group_used};
    char key[32];
    size_t index;
    for (index = 0; index < sizeof values / sizeof values[0]; index++) {
        const char *at;
        snprintf(key, sizeof key, "\"%s\":", names[index]);
        at = strstr(line, key);
        if (at && strtoul(at + strlen(key), NULL, 10) != values[index])
            return shellgen_fail(error,
                                 "%s: packed for %s %lu, and layer %s has %s %" PRIu32
                                 "; pack the weights of this very build with `shellgen weights`",
                                 path, names[index], strtoul(at + strlen(key), NULL, 10), layer_of(region),
                                 names[index], values[index]);
    }
    return 0;
}

/* Read all registers of a region from its file. */
static int read_file(const struct shellgen_region *region, const char *path, uint32_t *registers,
                     struct shellgen_error *error)
{
    uint64_t wanted = (uint64_t)region->words * region->lanes, count = 0;
    char line[4096];
    int first = 1;
    FILE *file = fopen(path, "r");
    if (!file)
        return shellgen_fail(error, "%s: %s", path, strerror(errno));
    while (fgets(line, sizeof line, file)) {
        char *at = line, *end;
        unsigned long long value;
        if (first && strncmp(line, "//", 2) == 0) {
            first = 0;
            if (check_folding(region, path, line, error))
                break;
            continue;
        }
        first = 0;
        for (;;) {
            while (isspace((unsigned char)*at))
                at++;
            if (!*at)
                break;
            errno = 0;
            value = strtoull(at, &end, 16);
            if (!isxdigit((unsigned char)*at) || (*end && !isspace((unsigned char)*end))) {
                shellgen_fail(error, "%s: a line is not a hexadecimal number", path);
                break;
            }
            if (errno || value >> 32) {
                shellgen_fail(error, "%s: a line has more than 32 bits", path);
                break;
            }
            if (count < wanted)
                registers[count] = (uint32_t)value;
            count++;
            at = end;
        }
        if (error->text[0])
            break;
    }
    fclose(file);
    if (error->text[0])
        return -1;
    if (count != wanted)
        return shellgen_fail(error, "%s: %" PRIu64 " registers, and layer %s has %" PRIu64, path, count,
                             layer_of(region), wanted);
    return 0;
}

/* ---- registers */

/* Fail if the bridge has seen an error; wait until it has answered all writes. */
static int settle(const struct shellgen_node *node, const struct shellgen_bus *bus, struct shellgen_error *error)
{
    uint32_t level, failed, address, index;
    if (!node->bridge.address.at)
        return 0;
    do {
        if (shellgen_read(bus, node->bridge.level.at, &level, error))
            return -1;
    } while (level & SHELLGEN_AXIL_BRIDGE_LEVEL_POSTED_MASK);
    if (shellgen_read(bus, node->bridge.error.at, &failed, error))
        return -1;
    if (!(failed & SHELLGEN_AXIL_BRIDGE_ERROR_KEPT_MASK))
        return 0;
    if (shellgen_read(bus, node->bridge.error_address.at, &address, error))
        return -1;
    for (index = 0; index < node->regions; index++) {
        const struct shellgen_region *region = &node->region[index];
        if (region->words && address >= region->base && address < region->base + region->size)
            return shellgen_fail(error, "%s: layer %s: word %" PRIu64 " at %#" PRIx32 ": answered with an error",
                                 node->name, layer_of(region),
                                 (address - region->base) / region->stride / region->lanes, address);
    }
    return shellgen_fail(error, "%s: address %#" PRIx32 ": answered with an error", node->name, address);
}

/* Write a word, or read and compare it. */
static int one_word(const struct shellgen_node *node, const struct shellgen_bus *bus,
                    const struct shellgen_region *region, uint32_t word, const uint32_t *wanted, int writes,
                    struct shellgen_error *error)
{
    uint64_t base = region->base + (uint64_t)word * region->lanes * region->stride, at;
    uint32_t lane, found = 0, bits, wrong, bit;
    /* Behind the word before, the bridge has moved on to this one by itself. */
    if (node->bridge.address.at && !(word && is_stored(region, word - 1)) && shellgen_write(bus, node->bridge.address.at, (uint32_t)base, error))
        return -1;
    for (lane = 0; lane < region->lanes; lane++) {
        at = node->bridge.address.at ? node->bridge.data.at : base + (uint64_t)lane * region->stride;
        if (writes ? bus->write(bus->context, at, wanted[lane]) : bus->read(bus->context, at, &found)) {
            if (settle(node, bus, error))
                return -1; /* the bridge knows the address behind it */
            return shellgen_fail(error, "%s: layer %s: word %" PRIu32 " at %#" PRIx64 ": answered with an error",
                                 node->name, layer_of(region), word, at);
        }
        bits = region->word_bits > 32 * lane ? region->word_bits - 32 * lane : 0;
        wrong = writes ? 0 : (wanted[lane] ^ found) & (bits >= 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1);
        if (wrong) {
            for (bit = 0; !(wrong >> bit & 1); bit++)
                continue;
            return shellgen_fail(error, "%s: layer %s: word %" PRIu32 " bit %" PRIu32 " is %" PRIu32 ", not %" PRIu32,
                                 node->name, layer_of(region), word, 32 * lane + bit, found >> bit & 1,
                                 wanted[lane] >> bit & 1);
        }
    }
    return 0;
}

static int all_words(const struct shellgen_node *node, const struct shellgen_bus *bus,
                     uint32_t *const *contents, int writes, const struct shellgen_loaded *loaded,
                     struct shellgen_error *error)
{
    uint32_t index, word;
    for (index = 0; index < node->regions; index++) {
        const struct shellgen_region *region = &node->region[index];
        if (loaded->progress)
            loaded->progress(loaded->context, index + (writes ? 0 : node->regions), 2 * node->regions);
        for (word = 0; contents[index] && word < region->words; word++)
            if (is_stored(region, word) && one_word(node, bus, region, word,
                                                    contents[index] + (size_t)word * region->lanes, writes, error))
                return -1;
    }
    return settle(node, bus, error);
}

/* Read the files of a folder into `contents`, one array for each region; NULL where there is none. */
static int read_folder(const struct shellgen_node *node, const char *folder, int flags, uint32_t **contents,
                       struct shellgen_loaded *loaded, struct shellgen_error *error)
{
    char path[4096];
    uint32_t index, known = 0;
    const char *lacking = NULL;
    for (index = 0; index < node->regions; index++) {
        const struct shellgen_region *region = &node->region[index];
        size_t count = (size_t)region->words * region->lanes;
        int found = count ? find_file(region, folder, path, sizeof path, error) : 0;
        known += count != 0;
        if (count && found == 0)
            lacking = region->dat;
        if (found < 0)
            return -1;
        if (!found)
            continue;
        contents[index] = (uint32_t *)calloc(count, sizeof(uint32_t));
        if (!contents[index])
            return shellgen_fail(error, "no memory for %s", path);
        if (read_file(region, path, contents[index], error))
            return -1;
        loaded->memories++;
        loaded->registers += count;
    }
    if (lacking && (!loaded->memories || !(flags & SHELLGEN_PARTIAL)))
        return shellgen_fail(error, "%s: it has %" PRIu32 " of %" PRIu32 " files; %s is missing; %s", folder,
                             loaded->memories, known, lacking, "--partial loads what is there");
    return 0;
}

/* Load a node from a folder and read everything back; with SHELLGEN_CHECK only compare. Return 0, or -1 with a
 * message. All files are read before the first access. */
int shellgen_load(const struct shellgen_node *node, const struct shellgen_bus *bus, const char *folder, int flags,
                  struct shellgen_loaded *loaded, struct shellgen_error *error);

int shellgen_load(const struct shellgen_node *node, const struct shellgen_bus *bus, const char *folder, int flags,
                  struct shellgen_loaded *loaded, struct shellgen_error *error)
{
    uint32_t **contents = (uint32_t **)calloc(node->regions + 1, sizeof(uint32_t *));
    uint32_t index;
    int result = -1;
    error->text[0] = '\0';
    loaded->memories = 0;
    loaded->registers = 0;
    if (!contents)
        return shellgen_fail(error, "no memory");
    if (read_folder(node, folder, flags, contents, loaded, error) == 0 && shellgen_check(node, bus, error) == 0 &&
        (!node->bridge.error.at || shellgen_write(bus, node->bridge.error.at, SHELLGEN_AXIL_BRIDGE_ERROR_KEPT_MASK, error) == 0) &&
        (flags & SHELLGEN_CHECK || all_words(node, bus, contents, 1, loaded, error) == 0))
        result = all_words(node, bus, contents, 0, loaded, error);
    for (index = 0; index < node->regions; index++)
        free(contents[index]);
    free(contents);
    return result;
}
