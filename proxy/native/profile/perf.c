/* Clock events of perf, which fill a page that the kernel and this process share. A thread reads its own page in its signal handler. */
#define _GNU_SOURCE
#include "perf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

/* The page of positions, and one of records: a record has at most 280 bytes. */
enum { PAGE_BYTES = 4096, MAPPED_BYTES = 2 * PAGE_BYTES };

static int open_event(pid_t tid, int64_t first_ns)
{
    struct perf_event_attr wanted = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof wanted,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = (uint64_t)first_ns,
        .sample_type = PERF_SAMPLE_CALLCHAIN,
        .sample_max_stack = MAX_KERNEL,
        .exclude_callchain_user = 1,
        .disabled = 1,
        .wakeup_events = 1,
    };
    return (int)syscall(SYS_perf_event_open, &wanted, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int perf_allowed(void)
{
    enum { ANY_NS = 1000000 };
    int fd = open_event(0, ANY_NS);
    if (fd < 0)
        return errno;
    (void)close(fd);
    return 0;
}

int perf_open(struct perf *event, pid_t tid, int64_t first_ns)
{
    struct f_owner_ex owner = {F_OWNER_TID, tid};
    int fd = open_event(tid, first_ns);
    if (fd < 0)
        return errno;
    void *page = mmap(NULL, MAPPED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page != MAP_FAILED && fcntl(fd, F_SETFL, O_ASYNC) == 0 && fcntl(fd, F_SETSIG, SIGPROF) == 0 && fcntl(fd, F_SETOWN_EX, &owner) == 0) {
        *event = (struct perf){.fd = fd, .page = page};
        /* The thread's handler finds the event by its descriptor. */
        if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == 0)
            return 0;
        event->page = NULL;
    }
    int error = page == MAP_FAILED && errno == EPERM ? ENOMEM : errno;
    if (page != MAP_FAILED)
        (void)munmap(page, MAPPED_BYTES);
    (void)close(fd);
    return error;
}

/* Returns eight bytes at a position of the records, which never cross the end of the page. */
static uint64_t word_at(const struct perf_event_mmap_page *page, uint64_t position)
{
    uint64_t word;
    memcpy(&word, (const unsigned char *)page + PAGE_BYTES + position % PAGE_BYTES, sizeof word);
    return word;
}

/* Stores the callchain that begins at a position. */
static void copy_chain(const struct perf_event_mmap_page *page, uint64_t position, struct sample *sample)
{
    uint64_t count = word_at(page, position);
    int in_kernel = 0;
    sample->kernel = 0;
    for (uint64_t i = 1; i <= count && i <= PAGE_BYTES / sizeof i; i++) {
        uint64_t code = word_at(page, position + i * sizeof i);
        if (code >= (uint64_t)PERF_CONTEXT_MAX)
            in_kernel = code == (uint64_t)PERF_CONTEXT_KERNEL;
        else if (in_kernel && sample->kernel < MAX_KERNEL)
            sample->kernel_codes[sample->kernel++] = code;
    }
}

int64_t perf_take(struct perf event, int64_t interval_ns, struct sample *sample)
{
    struct perf_event_mmap_page *page = event.page;
    uint64_t head = page->data_head, tail = page->data_tail;
    int64_t records = 0;
    /* the first record came after another time */
    if (tail == 0) {
        uint64_t period = (uint64_t)interval_ns;
        (void)ioctl(event.fd, PERF_EVENT_IOC_PERIOD, &period);
    }
    atomic_thread_fence(memory_order_acquire);
    while (tail < head) {
        struct perf_event_header header;
        uint64_t word = word_at(page, tail);
        memcpy(&header, &word, sizeof header);
        if (header.type == PERF_RECORD_SAMPLE) {
            copy_chain(page, tail + sizeof header, sample);
            records++;
        } else if (header.type == PERF_RECORD_LOST) {
            /* behind the identifier of the event */
            records += (int64_t)word_at(page, tail + sizeof header + sizeof(uint64_t));
        }
        if (header.size == 0)
            break;
        tail += header.size;
    }
    atomic_thread_fence(memory_order_release);
    page->data_tail = head;
    return records;
}

void perf_silence(struct perf *event)
{
    (void)ioctl(event->fd, PERF_EVENT_IOC_DISABLE, 0);
    (void)close(event->fd);
}

void perf_free(struct perf *event)
{
    (void)munmap(event->page, MAPPED_BYTES);
    event->page = NULL;
}
