/* Clock events of perf_event_open(2): one for each thread, which reports the stack of the kernel with each sample. */
#ifndef REMORA_PERF_H
#define REMORA_PERF_H

#include "ring.h"

struct perf_event_mmap_page;

/* Event of a thread. Without a page, there is none. */
struct perf {
    int fd;
    struct perf_event_mmap_page *page;
};

/* Returns 0 if the kernel allows events that include its own stack, else an errno. */
int perf_allowed(void);

/* Opens an event: the kernel sends SIGPROF to the thread after first_ns of its CPU time. Returns 0 or an errno: ENOMEM if the limit of locked
 * memory leaves no room for its pages. */
int perf_open(struct perf *event, pid_t tid, int64_t first_ns);

/* Moves the frames of the kernel in the latest record to a sample, and makes interval_ns the time to the next record. Returns the number of records
 * since the last call, which is above 1 after a long system call. Runs in the thread of the event. Async-signal-safe. */
int64_t perf_take(struct perf event, int64_t interval_ns, struct sample *sample);

/* Stops the event. Its page stays mapped for a handler that still reads it. */
void perf_silence(struct perf *event);

/* Frees the page of a silenced event. */
void perf_free(struct perf *event);

#endif
