/* Turns files into a C source and a header, so that SQL, Lua and web assets are files of their own
 * and yet part of the library: an enum that names each, and an array of their texts.
 *
 *     embed [--sha1] [--deps DEPS] NAME SOURCE HEADER FILE...
 *
 * With the name rv_sql, the file sql/push_jobs.sql becomes RV_SQL_PUSH_JOBS, the index of its
 * struct rv_sql_text in rv_sql[]; RV_SQL_COUNT is how many there are. A text that is missing or
 * misspelt is therefore a compile error. A line `--#include "FILE"` is replaced by FILE, taken from
 * the folder of the file it stands in, which may do the same. A NUL follows each text.
 * With --sha1 each also has its hash, by which a Redis server knows a script. DEPS is to tell ninja
 * which files were read. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 4 };

static const char include_mark[] = "--#include \"";

struct bytes {
    char *data;
    size_t size;
};

static void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

static void die(const char *format, ...) {
    va_list args;
    va_start(args, format);
    (void)fputs("embed: ", stderr);
    (void)vfprintf(stderr, format, args);
    (void)fputc('\n', stderr);
    va_end(args);
    exit(1);
}

/* ---- reading ---- */
static void append(struct bytes *to, const char *data, size_t size) {
    char *grown = realloc(to->data, to->size + size + 1);
    if (!grown) die("out of memory");
    memcpy(grown + to->size, data, size);
    to->data = grown;
    to->size += size;
    to->data[to->size] = '\0';
}

static struct bytes read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) die("%s: %s", path, strerror(errno));
    struct bytes content = {0};
    append(&content, "", 0);
    char chunk[4096];
    size_t size;
    while ((size = fread(chunk, 1, sizeof chunk, file)) > 0)
        append(&content, chunk, size);
    if (ferror(file)) die("%s: cannot be read", path);
    (void)fclose(file);
    return content;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* name in the folder of the file at path. */
static char *beside(const char *path, const char *name, size_t size) {
    struct bytes joined = {0};
    append(&joined, path, (size_t)(base_name(path) - path));
    append(&joined, name, size);
    return joined.data;
}

static struct bytes read_expanded(const char *path, int depth, FILE *deps);

static void append_included(struct bytes *to, const char *path, const char *line, size_t size,
                            int depth, FILE *deps) {
    const char *name = line + sizeof include_mark - 1;
    const char *end = memchr(name, '"', size - (sizeof include_mark - 1));
    if (!end) die("%s: an include without its closing quote", path);
    char *included_path = beside(path, name, (size_t)(end - name));
    struct bytes included = read_expanded(included_path, depth + 1, deps);
    append(to, included.data, included.size);
    free(included.data);
    free(included_path);
}

/* deps: where its name is noted, and those of what it includes; or NULL. */
static struct bytes read_expanded(const char *path, int depth, FILE *deps) {
    if (depth > DEPTH_MAX) die("%s: it includes itself", path);
    if (deps) (void)fprintf(deps, " %s", path);
    struct bytes raw = read_file(path), expanded = {0};
    append(&expanded, "", 0);
    for (size_t at = 0; at < raw.size;) {
        const char *line = raw.data + at;
        const char *newline = memchr(line, '\n', raw.size - at);
        size_t size = newline ? (size_t)(newline - line) + 1 : raw.size - at;
        if (size >= sizeof include_mark && memcmp(line, include_mark, sizeof include_mark - 1) == 0)
            append_included(&expanded, path, line, size, depth, deps);
        else
            append(&expanded, line, size);
        at += size;
    }
    free(raw.data);
    return expanded;
}

/* ---- SHA-1 (FIPS 180-4) ---- */
static uint32_t rotate(uint32_t word, int bits) {
    return word << bits | word >> (32 - bits);
}

static void hash_block(uint32_t state[5], const unsigned char *block) {
    static const uint32_t constants[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    uint32_t words[80], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int i = 0; i < 16; i++)
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 80; i++)
        words[i] = rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    for (int i = 0; i < 80; i++) {
        uint32_t choice = i < 20              ? (b & c) | (~b & d)
                          : i >= 40 && i < 60 ? (b & c) | (b & d) | (c & d)
                                              : b ^ c ^ d;
        uint32_t next = rotate(a, 5) + choice + e + constants[i / 20] + words[i];
        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    const uint32_t sums[] = {a, b, c, d, e};
    for (int i = 0; i < 5; i++)
        state[i] += sums[i];
}

static void put_sha1(FILE *out, struct bytes text) {
    uint32_t state[] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    unsigned char last[128] = {0};
    size_t whole = text.size / 64 * 64, rest = text.size - whole, size = rest < 56 ? 64 : 128;
    for (size_t at = 0; at < whole; at += 64)
        hash_block(state, (const unsigned char *)text.data + at);
    memcpy(last, text.data + whole, rest);
    last[rest] = 0x80;
    for (size_t i = 0; i < 8; i++)
        last[size - 1 - i] = (unsigned char)((uint64_t)text.size * 8 >> (8 * i));
    for (size_t at = 0; at < size; at += 64)
        hash_block(state, last + at);
    for (int i = 0; i < 5; i++)
        (void)fprintf(out, "%08" PRIx32, state[i]);
}

/* ---- writing ---- */
static void put_constant(FILE *out, const char *text, size_t size) {
    for (size_t i = 0; i < size; i++) {
        unsigned char letter = (unsigned char)text[i];
        (void)fputc(isalnum(letter) ? toupper(letter) : '_', out);
    }
}

/* NAME_FILE: the enum constant of the file at path, without its ending. */
static void put_member(FILE *out, const char *name, const char *path) {
    const char *base = base_name(path);
    put_constant(out, name, strlen(name));
    (void)fputc('_', out);
    put_constant(out, base, strcspn(base, "."));
}

static void write_header(FILE *out, const char *name, int with_sha1, char **files, int count) {
    (void)fprintf(
        out, "/* Made by tools/embed. */\n#pragma once\n#include <stddef.h>\n\nenum %s {\n", name);
    for (int i = 0; i < count; i++) {
        (void)fputs("    ", out);
        put_member(out, name, files[i]);
        (void)fputs(",\n", out);
    }
    (void)fputs("    ", out);
    put_constant(out, name, strlen(name));
    (void)fprintf(out, "_COUNT\n};\n\nstruct %s_text {\n", name);
    (void)fputs("    const char *name; /* of the file, without its folder */\n"
                "    const char *data; /* a NUL follows */\n"
                "    size_t size;\n",
                out);
    if (with_sha1) (void)fputs("    const char *sha1; /* 40 digits */\n", out);
    (void)fputs("};\n", out);
    (void)fprintf(out, "extern const struct %s_text %s[];\n", name, name);
}

static void write_text(FILE *out, int number, struct bytes text) {
    (void)fprintf(out, "static const char text_%d[] = {", number);
    for (size_t i = 0; i < text.size; i++)
        (void)fprintf(out, "%s'\\x%02x',", i % 16 ? "" : "\n", (unsigned char)text.data[i]);
    (void)fputs("\n'\\0'};\n", out);
}

static void write_sha1(FILE *out, int number, struct bytes text) {
    (void)fprintf(out, "static const char sha1_%d[] = \"", number);
    put_sha1(out, text);
    (void)fputs("\";\n", out);
}

static void write_source(FILE *out, const char *name, const char *header, int with_sha1,
                         char **files, int count, FILE *deps) {
    (void)fprintf(out, "/* Made by tools/embed. */\n#include \"%s\"\n\n", base_name(header));
    for (int i = 0; i < count; i++) {
        struct bytes text = read_expanded(files[i], 0, deps);
        write_text(out, i, text);
        if (with_sha1) write_sha1(out, i, text);
        free(text.data);
    }
    (void)fprintf(out, "\nconst struct %s_text %s[] = {\n", name, name);
    for (int i = 0; i < count; i++) {
        (void)fprintf(out, "    {\"%s\", text_%d, sizeof text_%d - 1", base_name(files[i]), i, i);
        if (with_sha1) (void)fprintf(out, ", sha1_%d", i);
        (void)fputs("},\n", out);
    }
    (void)fputs("};\n", out);
}

static FILE *open_out(const char *path) {
    FILE *out = fopen(path, "w");
    if (!out) die("%s: %s", path, strerror(errno));
    return out;
}

static void close_out(FILE *out, const char *path) {
    int failed = ferror(out);
    if (fclose(out) != 0 || failed) die("%s: cannot be written", path);
}

static FILE *open_deps(const char *path, const char *source) {
    FILE *deps = path ? open_out(path) : NULL;
    if (deps) (void)fprintf(deps, "%s:", source);
    return deps;
}

static void close_deps(FILE *deps, const char *path) {
    if (!deps) return;
    (void)fputc('\n', deps);
    close_out(deps, path);
}

int main(int argc, char **argv) {
    int with_sha1 = 0;
    const char *deps_path = NULL;
    char **next = argv + 1, **end = argv + argc;
    if (next < end && strcmp(*next, "--sha1") == 0) {
        with_sha1 = 1;
        next++;
    }
    if (end - next > 1 && strcmp(*next, "--deps") == 0) {
        deps_path = next[1];
        next += 2;
    }
    if (end - next < 4) die("usage: embed [--sha1] [--deps DEPS] NAME SOURCE HEADER FILE...");
    const char *name = next[0], *source_path = next[1], *header_path = next[2];
    char **files = next + 3;
    int count = (int)(end - files);
    FILE *header = open_out(header_path);
    write_header(header, name, with_sha1, files, count);
    close_out(header, header_path);
    FILE *source = open_out(source_path), *deps = open_deps(deps_path, source_path);
    write_source(source, name, header_path, with_sha1, files, count, deps);
    close_deps(deps, deps_path);
    close_out(source, source_path);
    return 0;
}
