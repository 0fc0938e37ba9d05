#define _GNU_SOURCE
#include "selection.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char DIGITS[] = "0123456789";

/* Each is 1,024 times the one before it. */
static const char UNITS[] = "kmg";

/* Sizes that are computed are whole multiples of this. */
enum { PAGE_STEP = 65536 };

/* In such steps the serial collector's heap grows: the JVM rounds another -Xmx up, and would take what is the buffers'. */
enum { HEAP_STEP = 2097152 };

/* For buffers: what a limit does not go below, and the bound of all profiles, which a limit does not raise. */
enum { LEAST_DIRECT = 4194304, MOST_DIRECT = 67108864 };

/* A command that asks a running sidecar is a JVM next to it: its peak, which the limit must have room for. */
enum { COMMAND_BYTES = 33554432 };

const char *speaker = "remora";

void refuse(int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", speaker);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(status);
}

void write_path(char path[static PATH_MAX], const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(path, PATH_MAX, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= PATH_MAX) {
        refuse(EXIT_UNAVAILABLE, "a path is longer than %d bytes", PATH_MAX);
    }
}

long read_number(const char *what, const char *text) {
    const char *digits = text + strspn(text, "0");
    size_t length = strspn(digits, DIGITS);
    if (length == 0 || digits[length] != '\0') {
        refuse(EXIT_USAGE, "%s %s: a whole number above 0 is needed", what, text);
    }
    return length > 9 ? 999999999 : strtol(digits, NULL, 10);
}

int64_t read_size(const char *what, const char *text) {
    size_t length = strspn(text, DIGITS);
    const char *unit = text + length;
    int64_t count = length > 13 || *text == '0' ? 0 : strtoll(text, NULL, 10);
    int64_t scale = 1;
    if (*unit != '\0') {
        const char *known = strchr(UNITS, tolower((unsigned char)*unit));
        bool is_whole = unit[1] == '\0' || strcmp(unit + 1, "i") == 0 || strcmp(unit + 1, "iB") == 0;
        scale = known != NULL && is_whole ? INT64_C(1024) << 10 * (known - UNITS) : 0;
    }
    if (count == 0 || scale == 0 || count > INT64_MAX / scale) {
        refuse(EXIT_USAGE, "%s %s: a size such as 64m is needed", what, text);
    }
    return count * scale;
}

/* Whether a row of this image serves another: itself, or one with another JDK, whose own rows would stand above. */
static bool serves(const char *row_image, const char *image) {
    size_t length = strlen(row_image);
    return strncmp(row_image, image, length) == 0 && (image[length] == '\0' || strncmp(image + length, "-jdk", 4) == 0);
}

struct profile pick_profile(const struct image *image, long rps) {
    char path[PATH_MAX];
    write_path(path, "%s/jvm-profiles/table", image->home);
    FILE *table = fopen(path, "re");
    if (table == NULL) {
        refuse(EXIT_UNAVAILABLE, "%s: cannot be read", path);
    }
    /* never freed: the row points into it */
    static char *line;
    static size_t size;
    while (getline(&line, &size, table) != -1) {
        struct profile row;
        char row_image[NAME_SIZE];
        int options = 0;
        sscanf(
            line, "%63s %63s %9ld %18" SCNd64 " %18" SCNd64 " %18" SCNd64 " %18" SCNd64 " %255s %n", row_image, row.name, &row.rps,
            &row.peak_bytes, &row.needed_bytes, &row.min_heap, &row.max_heap, row.files, &options);
        if (options == 0 || !serves(row_image, image->name) || row.rps < rps) {
            continue;
        }
        line[strcspn(line, "\n")] = '\0';
        row.options = line + options;
        if (strcmp(row.name, "-") == 0) {
            refuse(EXIT_USAGE, "%ld requests a second %s", rps, row.options);
        }
        fclose(table);
        return row;
    }
    refuse(EXIT_USAGE, "no image %s in %s", image->name, path);
}

/* The limit becomes what the file says where that is less. */
static void lower_limit(struct limit *limit, const char *path) {
    char line[64] = "";
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return;
    }
    bool read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    size_t length = strspn(line, DIGITS);
    /* "max", and the number near 2^63 by which version 1 says the same */
    if (!read || length == 0 || length > 18 || line[length] != '\0') {
        return;
    }
    int64_t bytes = strtoll(line, NULL, 10);
    if (limit->from[0] == '\0' || bytes < limit->bytes) {
        limit->bytes = bytes;
        write_path(limit->from, "%s", path);
    }
}

/* Walks from the cgroup itself up to the mount's root, which in a container is the container's own with any path. */
static void walk_up(struct limit *limit, const char *mount, char *cgroup, const char *file) {
    char path[PATH_MAX];
    char *end = cgroup + strlen(cgroup);
    if (end > cgroup && end[-1] == '/') {
        end--;
    }
    for (; end != NULL; end = strrchr(cgroup, '/')) {
        *end = '\0';
        write_path(path, "%s%s/%s", mount, cgroup, file);
        lower_limit(limit, path);
    }
}

/* A line of /proc/self/cgroup: number:controllers:path, where version 2 has no controllers. */
static void lower_to_cgroup(struct limit *limit, const char *root, char *line) {
    line[strcspn(line, "\n")] = '\0';
    strsep(&line, ":");
    char *controllers = strsep(&line, ":");
    if (line == NULL) {
        return;
    }
    bool is_v2 = *controllers == '\0';
    bool is_memory = false;
    for (char *name; (name = strsep(&controllers, ",")) != NULL;) {
        is_memory = is_memory || strcmp(name, "memory") == 0;
    }
    if (is_v2 || is_memory) {
        char mount[PATH_MAX];
        write_path(mount, "%s/sys/fs/cgroup%s", root, is_v2 ? "" : "/memory");
        walk_up(limit, mount, line, is_v2 ? "memory.max" : "memory.limit_in_bytes");
    }
}

struct limit find_limit(const char *memory) {
    struct limit limit = {0};
    if (memory != NULL) {
        limit.bytes = read_size("--memory", memory);
        write_path(limit.from, "--memory");
    }
    /* stands before /proc and /sys, for the tests */
    const char *root = getenv("REMORA_SYSTEM_ROOT");
    root = root == NULL ? "" : root;
    char path[PATH_MAX];
    write_path(path, "%s/proc/self/cgroup", root);
    FILE *cgroups = fopen(path, "re");
    if (cgroups == NULL) {
        return limit;
    }
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, cgroups) != -1) {
        lower_to_cgroup(&limit, root, line);
    }
    free(line);
    fclose(cgroups);
    return limit;
}

void require_memory(const struct image *image, const struct profile *profile, const struct limit *limit) {
    if (limit->from[0] != '\0' && limit->bytes < profile->needed_bytes) {
        refuse(
            EXIT_UNFIT, "%s on image %s needs %" PRId64 " bytes (measured peak and 10 %%); %s allows %" PRId64, profile->name,
            image->name, profile->needed_bytes, limit->from, limit->bytes);
    }
}

/* The number behind a key of a file of lines; the file's first number without a key. Negative where it is not there. */
static int64_t read_field(const char *path, const char *key) {
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return -1;
    }
    char line[256];
    int64_t found = -1;
    while (found < 0 && fgets(line, sizeof line, file) != NULL) {
        size_t length = key == NULL ? 0 : strlen(key);
        if (length > 0 && (strncmp(line, key, length) != 0 || line[length] != ' ')) {
            continue;
        }
        const char *digits = line + length + (length > 0 ? 1 : 0);
        size_t count = strspn(digits, DIGITS);
        if (count == 0 || count > 18 || (digits[count] != '\n' && digits[count] != '\0')) {
            break;
        }
        found = strtoll(digits, NULL, 10);
    }
    fclose(file);
    return found;
}

/* The kernel kills the process with the highest score, so not the sidecar. */
static void offer_to_the_killer(void) {
    const char *root = getenv("REMORA_SYSTEM_ROOT");
    char path[PATH_MAX];
    write_path(path, "%s/proc/self/oom_score_adj", root == NULL ? "" : root);
    FILE *file = fopen(path, "r+e");
    if (file != NULL) {
        fputs("1000\n", file);
        fclose(file);
    }
}

void require_room(const char *command, const struct limit *limit) {
    offer_to_the_killer();
    const char *slash = strrchr(limit->from, '/');
    bool is_v2 = slash != NULL && strcmp(slash, "/memory.max") == 0;
    if (slash == NULL || (!is_v2 && strcmp(slash, "/memory.limit_in_bytes") != 0)) {
        return;
    }
    char path[PATH_MAX];
    int directory = (int)(slash - limit->from);
    write_path(path, "%.*s/%s", directory, limit->from, is_v2 ? "memory.current" : "memory.usage_in_bytes");
    int64_t usage = read_field(path, NULL);
    if (usage < 0) {
        return;
    }
    write_path(path, "%.*s/memory.stat", directory, limit->from);
    int64_t unused = read_field(path, is_v2 ? "inactive_file" : "total_inactive_file");
    int64_t left = limit->bytes - usage + (unused > 0 ? unused : 0);
    if (left < COMMAND_BYTES) {
        refuse(
            EXIT_UNFIT,
            "%s needs %d bytes next to the sidecar, and %s leaves %" PRId64
            "; run it outside of the container, such as by kubectl port-forward",
            command, COMMAND_BYTES, limit->from, left);
    }
}

struct fit fit_to_limit(const struct profile *profile, const struct limit *limit) {
    struct fit fit = {0};
    if (limit->from[0] == '\0' || profile->peak_bytes == 0 || profile->max_heap == 0) {
        return fit;
    }
    int64_t room = limit->bytes / 100 * 94 - profile->peak_bytes;
    room = room > 0 ? room : 0;
    int64_t growth = (room / 8 * 3 + HEAP_STEP / 2) / HEAP_STEP * HEAP_STEP;
    int64_t heap = profile->min_heap + growth;
    int64_t direct = (room - growth) / PAGE_STEP * PAGE_STEP;
    direct = direct > LEAST_DIRECT ? direct : LEAST_DIRECT;
    fit.max_heap = heap < profile->max_heap ? heap : 0;
    fit.max_direct = direct < MOST_DIRECT ? direct : 0;
    return fit;
}
