#define _GNU_SOURCE
#include "selection.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char DIGITS[] = "0123456789";

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

/* What a unit stands for: none, k, ki or kiB in either case of the first letter, likewise m and g. 0 where it is no unit. */
static int64_t unit_bytes(const char *unit) {
    if (*unit == '\0') {
        return 1;
    }
    if (unit[1] != '\0' && strcmp(unit + 1, "i") != 0 && strcmp(unit + 1, "iB") != 0) {
        return 0;
    }
    switch (*unit) {
        case 'k':
        case 'K':
            return 1024;
        case 'm':
        case 'M':
            return 1024 * 1024;
        case 'g':
        case 'G':
            return 1024 * 1024 * 1024;
        default:
            return 0;
    }
}

int64_t read_size(const char *what, const char *text) {
    size_t length = strspn(text, DIGITS);
    int64_t unit = unit_bytes(text + length);
    int64_t count = length > 13 || *text == '0' ? 0 : strtoll(text, NULL, 10);
    if (count == 0 || unit == 0 || count > INT64_MAX / unit) {
        refuse(EXIT_USAGE, "%s %s: a size such as 64m is needed", what, text);
    }
    return count * unit;
}

struct row {
    char image[NAME_SIZE];
    struct profile profile;
};

/* The next row of the file of measured peaks: image, profile, rate, bytes. */
static bool next_row(FILE *peaks, struct row *row) {
    char *line = NULL;
    size_t size = 0;
    bool found = false;
    while (!found && getline(&line, &size, peaks) != -1) {
        long long peak_bytes;
        found = sscanf(line, "%63s %63s %9ld %18lld", row->image, row->profile.name, &row->profile.rps, &peak_bytes) == 4
            && row->image[0] != '#';
        if (found) {
            row->profile.peak_bytes = peak_bytes;
        }
    }
    free(line);
    return found;
}

/* Whose rows are the image's: its own, or the default JDK's while it has none. */
static void find_rows(FILE *peaks, const char *image, char rows[static NAME_SIZE]) {
    struct row row;
    while (next_row(peaks, &row)) {
        if (strcmp(row.image, image) == 0) {
            snprintf(rows, NAME_SIZE, "%s", image);
            return;
        }
    }
    const char *jdk = strstr(image, "-jdk");
    snprintf(rows, NAME_SIZE, "%.*s", (int)(jdk == NULL ? strlen(image) : (size_t)(jdk - image)), image);
}

static _Noreturn void refuse_rate(const char *image, long rps, long largest, const struct row *larger) {
    char more[128] = "no image has more";
    if (larger->profile.rps > 0) {
        snprintf(more, sizeof more, "%s has a profile for %ld", larger->image, larger->profile.rps);
    }
    refuse(
        EXIT_USAGE, "%ld requests a second are more than image %s has a profile for (%ld at most); %s", rps, image, largest,
        more);
}

struct profile pick_profile(const struct image *image, long rps) {
    char path[PATH_MAX];
    write_path(path, "%s/jvm-profiles/peaks", image->home);
    FILE *peaks = fopen(path, "re");
    if (peaks == NULL) {
        refuse(EXIT_UNAVAILABLE, "%s: cannot be read", path);
    }
    char rows[NAME_SIZE];
    find_rows(peaks, image->name, rows);
    rewind(peaks);
    struct profile picked = {0};
    struct row row;
    struct row larger = {0};
    long largest = 0;
    while (next_row(peaks, &row)) {
        long offered = row.profile.rps;
        if (strcmp(row.image, rows) != 0) {
            if (offered >= rps && (larger.profile.rps == 0 || offered < larger.profile.rps)) {
                larger = row;
            }
            continue;
        }
        largest = offered > largest ? offered : largest;
        if (offered >= rps && (picked.rps == 0 || offered < picked.rps)) {
            picked = row.profile;
        }
    }
    fclose(peaks);
    if (picked.rps == 0) {
        refuse_rate(image->name, rps, largest, &larger);
    }
    return picked;
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

/* From the cgroup itself up to the mount's root, which in a container is the container's own whatever the path says. */
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
    int64_t needed_bytes = profile->peak_bytes + profile->peak_bytes / 10;
    if (limit->from[0] != '\0' && limit->bytes < needed_bytes) {
        refuse(
            EXIT_UNFIT, "%s on image %s needs %lld bytes (measured peak and 10 %%); %s allows %lld", profile->name, image->name,
            (long long)needed_bytes, limit->from, (long long)limit->bytes);
    }
}
