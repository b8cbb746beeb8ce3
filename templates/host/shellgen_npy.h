/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames as .npy holds them, and as the bytes that cross a stream; see shellgen_wire.py. Integers, booleans and whole
 * floats, little-endian, as numpy writes them. */
#ifndef SHELLGEN_NPY_H
#define SHELLGEN_NPY_H

#include "shellgen_host.h"

#include <ctype.h>
#include <errno.h>

struct shellgen_npy {
    uint64_t frames; /* size of the first dimension */
    uint64_t elements; /* of a frame */
    char kind; /* of a number: b, i, u or f */
    unsigned size; /* its bytes */
    uint8_t *data;
};

/* Read the header's text, `{'descr': '<i4', 'fortran_order': False, 'shape': (4, 3), }`. */
static inline int shellgen_npy_header(struct shellgen_npy *npy, const char *path, const char *text,
                                      struct shellgen_error *error)
{
    const char *descr = strstr(text, "'descr':"), *shape = strstr(text, "'shape':");
    char order, *end;
    uint64_t size;
    int first = 1;
    if (!descr || !shape || !strstr(text, "'fortran_order': False") ||
        sscanf(descr + 8, " '%c%c%u'", &order, &npy->kind, &npy->size) != 3 || !strchr("<|=", order) ||
        !strchr("biuf", npy->kind) || !(npy->size == 1 || npy->size == 2 || npy->size == 4 || npy->size == 8) ||
        (npy->kind == 'f' && npy->size < 4))
        return shellgen_fail(error, "%s: it is no .npy of numbers in C order", path);
    npy->frames = npy->elements = 1;
    for (shape = strchr(shape, '('); shape && *shape && *shape != ')';) {
        if (!isdigit((unsigned char)*shape)) {
            shape++;
            continue;
        }
        size = strtoull(shape, &end, 10);
        shape = end;
        if (!size || size > UINT32_MAX || npy->elements > UINT32_MAX)
            return shellgen_fail(error, "%s: its shape is nothing that can be sent", path);
        if (first)
            npy->frames = size;
        else
            npy->elements *= size;
        first = 0;
    }
    if (first)
        return shellgen_fail(error, "%s: it holds one number, and no frames", path);
    return 0;
}

/* Read a file whose frames have so many elements; `data` is to be freed, also after an error. */
static inline int shellgen_read_npy(struct shellgen_npy *npy, const char *path, uint32_t elements,
                                    struct shellgen_error *error)
{
    uint8_t begin[12];
    char *text = NULL;
    uint32_t length;
    size_t size, known;
    int result = -1;
    FILE *file = fopen(path, "rb");
    npy->data = NULL;
    if (!file)
        return shellgen_fail(error, "%s: %s", path, strerror(errno));
    if (fread(begin, 1, 10, file) != 10 || memcmp(begin, "\x93NUMPY", 6) != 0 || begin[6] < 1 || begin[6] > 3 ||
        (begin[6] > 1 && fread(begin + 10, 1, 2, file) != 2)) {
        shellgen_fail(error, "%s: it is no .npy file", path);
        goto done;
    }
    length = begin[8] | (uint32_t)begin[9] << 8;
    if (begin[6] > 1)
        length |= (uint32_t)begin[10] << 16 | (uint32_t)begin[11] << 24;
    text = length < 65536 ? (char *)calloc(length + 1, 1) : NULL;
    if (!text || fread(text, 1, length, file) != length) {
        shellgen_fail(error, "%s: its header is cut off", path);
        goto done;
    }
    if (shellgen_npy_header(npy, path, text, error))
        goto done;
    if (npy->elements != elements) {
        shellgen_fail(error, "%s: a frame has %" PRIu64 " elements, and the stream takes %" PRIu32, path, npy->elements,
                      elements);
        goto done;
    }
    known = (size_t)npy->elements * npy->size;
    if (npy->frames > SIZE_MAX / known) {
        shellgen_fail(error, "%s: it is too large", path);
        goto done;
    }
    /* Grown as it is read: what a header claims is no reason to take memory. */
    for (known = 0, size = (size_t)(npy->frames * npy->elements) * npy->size; known < size;) {
        size_t chunk = size - known < (1u << 22) ? size - known : (1u << 22);
        uint8_t *more = (uint8_t *)realloc(npy->data, known + chunk);
        if (!more) {
            shellgen_fail(error, "%s: no memory for it", path);
            goto done;
        }
        npy->data = more;
        if (fread(npy->data + known, 1, chunk, file) != chunk) {
            shellgen_fail(error, "%s: it is cut off", path);
            goto done;
        }
        known += chunk;
    }
    result = 0;
done:
    free(text);
    fclose(file);
    return result;
}

/* Return a value; set `whole` to 0 if it is no integer of 64 bits. */
static inline int64_t shellgen_npy_value(const struct shellgen_npy *npy, uint64_t at, int *whole)
{
    const uint8_t *from = npy->data + at * npy->size;
    uint64_t bits = 0;
    double real;
    float small;
    unsigned byte;
    *whole = 1;
    for (byte = npy->size; byte-- > 0;)
        bits = bits << 8 | from[byte];
    if (npy->kind == 'f') {
        if (npy->size == 4) {
            uint32_t half = (uint32_t)bits;
            memcpy(&small, &half, sizeof small);
            real = small;
        } else {
            memcpy(&real, &bits, sizeof real);
        }
        *whole = real >= -9.2e18 && real <= 9.2e18 && real == (double)(int64_t)real;
        return *whole ? (int64_t)real : 0;
    }
    if (npy->kind == 'i' && npy->size < 8 && bits >> (8 * npy->size - 1))
        bits |= UINT64_MAX << 8 * npy->size;
    *whole = npy->kind == 'i' || !(bits >> 63);
    return (int64_t)bits;
}

static inline int shellgen_is_bipolar(const struct shellgen_stream *stream)
{
    return stream->bits == 1 && stream->low == -1;
}

/* Pack all frames densely, as the stream has them; `bytes` has frames * frame_bytes. */
static inline int shellgen_pack(const struct shellgen_stream *stream, const struct shellgen_npy *npy, uint64_t frames,
                                uint8_t *bytes, const char *path, struct shellgen_error *error)
{
    uint64_t frame, at, bit, place;
    memset(bytes, 0, (size_t)frames * stream->frame_bytes);
    for (frame = 0; frame < frames; frame++)
        for (at = 0; at < stream->elements; at++) {
            int whole;
            int64_t value = shellgen_npy_value(npy, frame * stream->elements + at, &whole);
            uint64_t code = (uint64_t)value;
            if (!whole || value < stream->low || value > stream->high || (shellgen_is_bipolar(stream) && !value))
                return shellgen_fail(error, "%s: frame %" PRIu64 ", element %" PRIu64 " does not fit: %" PRIu32
                                     " bits, %" PRId64 " to %" PRId64,
                                     path, frame, at, stream->bits, stream->low, stream->high);
            if (shellgen_is_bipolar(stream))
                code = value > 0;
            place = at / stream->per_word * stream->word_bits + at % stream->per_word * stream->bits;
            for (bit = 0; bit < stream->bits; bit++, place++)
                if (code >> bit & 1)
                    bytes[frame * stream->frame_bytes + place / 8] |= (uint8_t)(1u << place % 8);
        }
    return 0;
}

/* Return one element of packed frames. */
static inline int64_t shellgen_unpack(const struct shellgen_stream *stream, const uint8_t *bytes, uint64_t frame,
                                      uint64_t at)
{
    uint64_t place = at / stream->per_word * stream->word_bits + at % stream->per_word * stream->bits, bit;
    uint64_t code = 0;
    for (bit = 0; bit < stream->bits; bit++, place++)
        code |= (uint64_t)(bytes[frame * stream->frame_bytes + place / 8] >> place % 8 & 1) << bit;
    if (shellgen_is_bipolar(stream))
        return code ? 1 : -1;
    if (stream->is_signed && code >> (stream->bits - 1))
        code |= UINT64_MAX << (stream->bits - 1);
    return (int64_t)code;
}

/* Write packed frames as a .npy of (frames, elements) 64-bit integers. */
static inline int shellgen_write_npy(const struct shellgen_stream *stream, const uint8_t *bytes, uint64_t frames,
                                     const char *path, struct shellgen_error *error)
{
    char header[128];
    uint64_t frame, at;
    int failed;
    FILE *file = fopen(path, "wb");
    if (!file)
        return shellgen_fail(error, "%s: %s", path, strerror(errno));
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10); /* 118 bytes follow */
    at = (uint64_t)snprintf(header + 10, 117, "{'descr': '<i8', 'fortran_order': False, 'shape': (%" PRIu64 ", %" PRIu32 "), }",
                            frames, stream->elements);
    header[10 + at] = ' ';
    header[127] = '\n';
    failed = fwrite(header, 1, sizeof header, file) != sizeof header;
    for (frame = 0; frame < frames; frame++)
        for (at = 0; at < stream->elements; at++) {
            uint64_t value = (uint64_t)shellgen_unpack(stream, bytes, frame, at);
            uint8_t out[8];
            unsigned byte;
            for (byte = 0; byte < 8; byte++)
                out[byte] = (uint8_t)(value >> 8 * byte);
            failed |= fwrite(out, 1, 8, file) != 8;
        }
    if (fclose(file) || failed)
        return shellgen_fail(error, "%s: it cannot be written", path);
    return 0;
}

#endif
