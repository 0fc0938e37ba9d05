/*
 * The entry point of the containers, which have no shell: picks the JVM profile for the rate to expect, then becomes java, so that
 * signals and the exit status are java's own. On a host proxy/bin/remora does the same, and jvm-profiles/select what "select" does.
 *
 *   remora run --rps N   requests a second to expect; else REMORA_RPS, else 1000
 *   remora inject, injector, bundle, advise, compile-log   the smallest profile, as they serve no requests of an application
 *   remora ready, live, get, wait, drain, shutdown   commands for a running sidecar (admin.h); REMORA_ADMIN is its admin address
 *   remora profile, heap, compiler-events, long-turns, native-memory, recording   likewise, for a look inside
 *   JVM_HEAP_MIN, JVM_HEAP_MAX   sizes such as 16m, instead of the profile's heap
 *   REMORA_JVM_FILE      a file of JVM options to use instead of a profile; an @FILE in JDK_JAVA_OPTIONS does the same
 *   REMORA_JAVA_OPTS     more JVM options, split at white space; they come last, so they win
 */
#define _GNU_SOURCE
#include "admin.h"
#include "selection.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char DEFAULT_RPS[] = "1000";
/* The smallest profile of every image; what serves no requests needs no other one. */
static const char LEAST_RPS[] = "100";
static const char WHITE_SPACE[] = " \t\n";

/* From here on Netty leaves Unsafe alone unless the JVM allows it, and then needs more classes for direct memory. */
enum { UNSAFE_NEEDS_A_WORD = 24 };

/* The words of a command line, and a NULL after them; never freed, as the process becomes that command. */
struct command {
    char **words;
    size_t count;
};

static void __attribute__((format(printf, 2, 3))) add(struct command *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    command->words = reallocarray(command->words, command->count + 2, sizeof *command->words);
    if (command->words == NULL || vasprintf(&command->words[command->count++], format, arguments) < 0) {
        refuse(EXIT_UNAVAILABLE, "out of memory");
    }
    command->words[command->count] = NULL;
    va_end(arguments);
}

/* A variable of the environment; one that is set to nothing counts as not set. */
static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value == NULL || *value == '\0' ? NULL : value;
}

/* The image around this program: home/bin/remora, with home/image next to bin. */
static struct image find_image(void) {
    struct image image = {0};
    ssize_t length = readlink("/proc/self/exe", image.home, sizeof image.home - 1);
    for (int level = 0; length > 0 && level < 2; level++) {
        char *slash = strrchr(image.home, '/');
        *(slash == NULL ? image.home : slash) = '\0';
    }
    char path[PATH_MAX];
    write_path(path, "%s/image", image.home);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        refuse(EXIT_UNAVAILABLE, "%s: cannot be read", path);
    }
    char line[256];
    while (fgets(line, sizeof line, file) != NULL) {
        sscanf(line, "name=%63s", image.name);
        sscanf(line, "jdk=%9ld", &image.jdk);
        sscanf(line, "engine=%63s", image.engine);
    }
    fclose(file);
    return image;
}

/* Adds the limit, and the heap and buffers that fit it. They replace the profile's own heap. */
static void add_limit(struct command *java, struct profile *profile, const struct limit *limit) {
    if (limit->from[0] == '\0') {
        return;
    }
    struct fit fit = fit_to_limit(profile, limit);
    add(java, "-Dremora.limit=%" PRId64, limit->bytes);
    if (fit.max_heap > 0) {
        profile->max_heap = fit.max_heap;
        add(java, "-Xmx%" PRId64, fit.max_heap);
    }
    if (fit.max_direct > 0) {
        add(java, "-XX:MaxDirectMemorySize=%" PRId64, fit.max_direct);
    }
    add(java, "-Dremora.limit.from=%s", limit->from);
}

/* What "jvm-profiles/select --rps N --memory SIZE" tells on a host. */
static int tell_selection(const struct image *image, int count, char **arguments) {
    const char *rps_text = DEFAULT_RPS;
    const char *memory = NULL;
    speaker = "select";
    for (int i = 0; i < count; i += 2) {
        bool is_rps = strcmp(arguments[i], "--rps") == 0;
        if (strcmp(arguments[i], "--help") == 0) {
            puts("usage: select [--rps N] [--memory SIZE]   what would run, and why");
            return 0;
        }
        if (!is_rps && strcmp(arguments[i], "--memory") != 0) {
            refuse(EXIT_USAGE, "%s: not known; select --help tells what is", arguments[i]);
        }
        if (i + 1 == count || *arguments[i + 1] == '\0') {
            refuse(EXIT_USAGE, "%s needs a value", arguments[i]);
        }
        *(is_rps ? &rps_text : &memory) = arguments[i + 1];
    }
    long rps = read_number("--rps", rps_text);
    struct profile profile = pick_profile(image, rps);
    struct limit limit = find_limit(memory);
    require_memory(image, &profile, &limit);
    printf("image    %s\n", image->name);
    printf("profile  %s, the smallest of this image for %ld requests a second\n", profile.name, rps);
    printf("peak     %" PRId64 "\n", profile.peak_bytes);
    if (limit.from[0] == '\0') {
        puts("limit    none");
    } else {
        printf("limit    %" PRId64 " bytes, from %s\n", limit.bytes, limit.from);
    }
    printf("options  from %s\n", profile.files);
    for (char *option; (option = strsep(&profile.options, WHITE_SPACE)) != NULL;) {
        printf("         %s\n", option);
    }
    struct command fitting = {0};
    add_limit(&fitting, &profile, &limit);
    for (size_t i = 0; i < fitting.count; i++) {
        printf("         %s\n", fitting.words[i]);
        free(fitting.words[i]);
    }
    free(fitting.words);
    return 0;
}

/* What the user said about the rate, and where. */
struct rate {
    const char *text;
    const char *from;
};

/* --rps N is the launcher's, the other arguments are the sidecar's. Returns how many are left. */
static int take_rate(struct rate *rate, int count, char **arguments) {
    int left = 0;
    if (variable("REMORA_RPS") != NULL) {
        *rate = (struct rate){variable("REMORA_RPS"), "REMORA_RPS"};
    }
    for (int i = 0; i < count; i++) {
        if (strcmp(arguments[i], "--rps") != 0) {
            arguments[left++] = arguments[i];
            continue;
        }
        if (++i == count) {
            refuse(EXIT_USAGE, "--rps needs a number");
        }
        *rate = (struct rate){arguments[i], "--rps"};
    }
    return left;
}

/* Whether a word of these options is an @FILE, which java reads itself. */
static bool has_argument_file(const char *options) {
    for (const char *at = strchr(options, '@'); at != NULL; at = strchr(at + 1, '@')) {
        if (at == options || isspace((unsigned char)at[-1])) {
            return true;
        }
    }
    return false;
}

/* Where one end is given and the profile's other end would be on its wrong side, that end moves along. */
static void override_heap(struct command *java, const struct profile *profile) {
    const char *given_min = variable("JVM_HEAP_MIN");
    const char *given_max = variable("JVM_HEAP_MAX");
    int64_t min = given_min == NULL ? profile->min_heap : read_size("JVM_HEAP_MIN", given_min);
    int64_t max = given_max == NULL ? profile->max_heap : read_size("JVM_HEAP_MAX", given_max);
    if (given_min == NULL && given_max == NULL) {
        return;
    }
    if (max > 0 && min > max) {
        if (given_min != NULL && given_max != NULL) {
            refuse(EXIT_USAGE, "JVM_HEAP_MIN=%s is above JVM_HEAP_MAX=%s", given_min, given_max);
        }
        *(given_max == NULL ? &max : &min) = given_max == NULL ? min : max;
    }
    if (min > 0) {
        add(java, "-Xms%" PRId64, min);
    }
    if (max > 0) {
        add(java, "-Xmx%" PRId64, max);
    }
    if (given_max == NULL) {
        add(java, "-Dremora.heap.override=JVM_HEAP_MIN=%s", given_min);
    } else if (given_min == NULL) {
        add(java, "-Dremora.heap.override=JVM_HEAP_MAX=%s", given_max);
    } else {
        add(java, "-Dremora.heap.override=JVM_HEAP_MIN=%s,JVM_HEAP_MAX=%s", given_min, given_max);
    }
}

/* A profile's row, or an empty one where a file of the user's own is in its place. */
static struct profile find_profile(const struct image *image, const struct rate *rate) {
    struct profile profile = {0};
    const char *options = variable("JDK_JAVA_OPTIONS");
    if (variable("REMORA_JVM_FILE") == NULL && (options == NULL || !has_argument_file(options))) {
        profile = pick_profile(image, read_number(rate->from, rate->text));
    }
    return profile;
}

/* A file of options, which java reads itself; NULL adds nothing. */
static void add_file(struct command *java, const struct image *image, const char *file) {
    if (file == NULL) {
        return;
    }
    if (access(file, R_OK) != 0) {
        refuse(EXIT_UNAVAILABLE, "%s: cannot be read", file);
    }
    add(java, "@%s", file);
    add(java, "-Dremora.profile=%s", file);
    add(java, "-Dremora.image=%s", image->name);
}

/* Each word of some options, split at white space; NULL adds nothing. */
static void add_words(struct command *java, const char *options) {
    for (; options != NULL && *(options += strspn(options, WHITE_SPACE)) != '\0'; options += strcspn(options, WHITE_SPACE)) {
        add(java, "%.*s", (int)strcspn(options, WHITE_SPACE), options);
    }
}

/* An engine of its own has its jars on a class path, the one that the archive of classes is for. */
static void add_sidecar(struct command *java, const struct image *image) {
    if (image->engine[0] == '\0') {
        add(java, "-jar");
        add(java, "%s/lib/remora/remora.jar", image->home);
        return;
    }
    add(java, "-cp");
    add(java, "%s/lib/remora/remora.jar:%s/lib/remora/%s/remora-%s.jar", image->home, image->home, image->engine, image->engine);
    add(java, "io.remora.Main");
}

/* Becomes java. */
static _Noreturn void start(const struct image *image, int count, char **arguments) {
    struct rate rate = {DEFAULT_RPS, "--rps"};
    const char *word = count > 0 ? arguments[0] : "";
    bool is_run = strcmp(word, "run") == 0;
    bool is_injector = strcmp(word, "injector") == 0;
    bool asks = strcmp(word, "bundle") == 0 || strcmp(word, "advise") == 0;
    if (is_injector || asks || strcmp(word, "inject") == 0 || strcmp(word, "compile-log") == 0) {
        rate.text = LEAST_RPS;
    }
    if (is_run) {
        count = take_rate(&rate, count, arguments);
    }
    struct profile profile = find_profile(image, &rate);
    struct limit limit = {0};
    if (is_run || is_injector || strcmp(word, "check") == 0) {
        limit = find_limit(NULL);
    }
    if (is_run || is_injector) {
        require_memory(image, &profile, &limit);
    }
    if (asks) {
        struct limit around = find_limit(NULL);
        require_room(word, &around);
    }
    struct command java = {0};
    add(&java, "%s/runtime/bin/java", image->home);
    add_file(&java, image, variable("REMORA_JVM_FILE"));
    add_words(&java, profile.options);
    if (image->jdk >= UNSAFE_NEEDS_A_WORD) {
        add(&java, "--sun-misc-unsafe-memory-access=allow");
    }
    add_limit(&java, &profile, &limit);
    override_heap(&java, &profile);
    add_words(&java, variable("REMORA_JAVA_OPTS"));
    add_sidecar(&java, image);
    for (int i = 0; i < count; i++) {
        add(&java, "%s", arguments[i]);
    }
    /* glibc gives each thread that allocates an arena of its own, and an arena is never freed. */
    if (variable("MALLOC_ARENA_MAX") == NULL) {
        setenv("MALLOC_ARENA_MAX", "1", 1);
    }
    execv(java.words[0], java.words);
    refuse(EXIT_UNAVAILABLE, "%s: %s", java.words[0], strerror(errno));
}

int main(int argc, char **argv) {
    int count = argc > 0 ? argc - 1 : 0;
    if (count > 0 && is_admin_command(argv[1])) {
        return run_admin_command(count, argv + 1);
    }
    struct image image = find_image();
    if (count > 0 && strcmp(argv[1], "select") == 0) {
        return tell_selection(&image, count - 1, argv + 2);
    }
    start(&image, count, argv + 1);
}
