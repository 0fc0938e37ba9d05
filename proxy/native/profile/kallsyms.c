/* Addresses are kept while a profile runs, in four bytes for each of about a hundred thousand functions. Names are read at its end, for the
 * functions that it has. */
#define _GNU_SOURCE
#include "kallsyms.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The code of the kernel and its modules is in the last 2 GiB of the address space (Documentation/arch/x86/x86_64/mm.rst). */
#define UPPER_HALF 0xffffffff00000000ULL

enum { MAX_FUNCTIONS = 1 << 18, ADDRESS_DIGITS = 16, LINE_BYTES = 512, READ_BYTES = 16384 };

/* An address further from the start of a function belongs to code that the file does not list, such as a trampoline. */
enum { MAX_FUNCTION_BYTES = 64 << 10 };

static uint32_t *functions;
static long function_count;

/* Shell sort: the file is nearly sorted, and qsort would allocate as much memory again. */
static void sort(void)
{
    for (long gap = function_count / 2; gap > 0; gap /= 2)
        for (long i = gap; i < function_count; i++) {
            uint32_t moved = functions[i];
            long at = i;
            for (; at >= gap && functions[at - gap] > moved; at -= gap)
                functions[at] = functions[at - gap];
            functions[at] = moved;
        }
}

/* Receives a function. */
typedef void take_function(void *context, uint64_t address, const char *name);

/* Hands over "ADDRESS t NAME" and "ADDRESS t NAME\t[MODULE]", where t, T, w or W mean code. The line ends with a zero byte. */
static void parse(char *line, take_function *take, void *context)
{
    char *end;
    uint64_t address = strtoull(line, &end, 16);
    if (end - line != ADDRESS_DIGITS || end[0] != ' ' || end[1] == '\0' || strchr("tTwW", end[1]) == NULL || end[2] != ' ')
        return;
    char *name = end + 3;
    name[strcspn(name, "\t")] = '\0';
    if ((address & UPPER_HALF) == UPPER_HALF)
        take(context, address, name);
}

static void read_functions(take_function *take, void *context)
{
    char text[READ_BYTES];
    size_t held = 0;
    ssize_t got;
    int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && (got = read(fd, text + held, sizeof text - held)) > 0) {
        char *line = text, *end;
        held += (size_t)got;
        while ((end = memchr(line, '\n', held - (size_t)(line - text))) != NULL) {
            *end = '\0';
            parse(line, take, context);
            line = end + 1;
        }
        held -= (size_t)(line - text);
        /* no line is that long */
        if (held > LINE_BYTES)
            break;
        memmove(text, line, held);
    }
    if (fd >= 0)
        (void)close(fd);
}

static void keep(void *unused, uint64_t address, const char *name)
{
    (void)unused;
    (void)name;
    if (function_count < MAX_FUNCTIONS)
        functions[function_count++] = (uint32_t)address;
}

long kallsyms_read(void)
{
    void *room = mmap(NULL, MAX_FUNCTIONS * sizeof *functions, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return 0;
    functions = room;
    function_count = 0;
    read_functions(keep, NULL);
    sort();
    if (function_count == 0)
        kallsyms_free();
    return function_count;
}

uint64_t kallsyms_function(uint64_t address)
{
    long low = 0, high = function_count;
    if ((address & UPPER_HALF) != UPPER_HALF)
        return 0;
    while (low < high) {
        long middle = low + (high - low) / 2;
        if (functions[middle] <= (uint32_t)address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || (uint32_t)address - functions[low - 1] > MAX_FUNCTION_BYTES)
        return 0;
    return UPPER_HALF | functions[low - 1];
}

void kallsyms_free(void)
{
    if (functions != NULL)
        (void)munmap(functions, MAX_FUNCTIONS * sizeof *functions);
    functions = NULL;
    function_count = 0;
}

/* A search for names. */
struct search {
    const uint64_t *starts;
    long count;
    take_name *take;
    void *context;
};

static int compare(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

static void find(void *context, uint64_t address, const char *name)
{
    const struct search *search = context;
    const uint64_t *found = bsearch(&address, search->starts, (size_t)search->count, sizeof address, compare);
    if (found != NULL)
        search->take(search->context, (long)(found - search->starts), name);
}

void kallsyms_names(const uint64_t *starts, long count, take_name *take, void *context)
{
    struct search search = {.starts = starts, .count = count, .take = take, .context = context};
    read_functions(find, &search);
}
