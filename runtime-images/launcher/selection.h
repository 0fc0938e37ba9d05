/*
 * Finds the row of the table that jvm-profiles/flatten made, and judges the memory at hand: what jvm-profiles/selection.sh does on a host.
 */
#ifndef REMORA_SELECTION_H
#define REMORA_SELECTION_H

#include <limits.h>
#include <stdint.h>

/* Exit statuses, after sysexits: a name in the command line is unknown; a file cannot be read; the request does not fit here. */
enum { EXIT_USAGE = 64, EXIT_UNAVAILABLE = 69, EXIT_UNFIT = 78 };

enum { NAME_SIZE = 64 };

struct image {
    char home[PATH_MAX]; /* the folder that holds bin, runtime, lib and jvm-profiles */
    char name[NAME_SIZE];
    char engine[NAME_SIZE]; /* empty for the default one */
    long jdk;
};

/* A row of the table. */
struct profile {
    char name[NAME_SIZE];
    long rps;
    int64_t peak_bytes;
    int64_t needed_bytes;
    int64_t min_heap; /* 0, like max_heap: left to the JVM */
    int64_t max_heap;
    char files[256];
    char *options; /* with blanks in between; NULL without a profile */
};

struct limit {
    int64_t bytes; /* 0: there is none */
    char from[PATH_MAX];
};

/* Who speaks in a refusal: the program, or the command that stands for a program of a host. */
extern const char *speaker;

/* Tells why, in one line, and ends. */
_Noreturn void refuse(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes a path; one that does not fit ends the program. */
void write_path(char path[static PATH_MAX], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Decimal digits, of which more than nine count as 999999999; "what" names the number in a refusal. */
long read_number(const char *what, const char *text);

/* A size such as 67108864, 64m, 64MiB or 64Mi. */
int64_t read_size(const char *what, const char *text);

/* The row by which the image serves a rate; without one, tells why and ends. */
struct profile pick_profile(const struct image *image, long rps);

/* The least of a size (or NULL) and of the limits of this process's cgroups, their parents' among them. */
struct limit find_limit(const char *memory);

/* Sizes for the process that fit the limit; each is 0 where it stays as the profile has it. */
struct fit {
    int64_t max_heap;
    int64_t max_direct;
};

/*
 * The heap and the buffers' bound that fit the limit: of what it leaves above the peak, less 6 % that nobody counts, the heap may grow by
 * three eighths, to the nearest step, and the rest is for buffers and sockets.
 */
struct fit fit_to_limit(const struct profile *profile, const struct limit *limit);

/* Ends the program where the limit is below what the profile needs. */
void require_memory(const struct image *image, const struct profile *profile, const struct limit *limit);

/* Ends the program where the limit has no room for a command next to what is running, and has the kernel kill the command first. */
void require_room(const char *command, const struct limit *limit);

#endif
