/* The part of the profiler that runs in signal handlers. SIGPROF comes from a thread's timer or event, or from the thread of the profile. The handler
 * writes the stack to a place in a buffer of fixed size. It neither allocates nor locks. */
#define _GNU_SOURCE
#include "sampler.h"

#include "perf.h"

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <time.h>
#include <ucontext.h>

/* Threads with a timer; executable segments of libraries. */
enum { MAX_THREADS = 512, MAX_SEGMENTS = 160 };

/* A frame of C further away from its callee is none; nor is one of a stub, as methods leave an outer frame's pointer in the register. */
enum { MAX_FRAME_BYTES = 256 << 10, MAX_STUB_BYTES = 128 };

enum { NS_PER_S = 1000000000, NS_PER_MS = 1000000, NS_PER_US = 1000 };

/* Processor time within which a thread tells the VM who it is. */
enum { INTRODUCED_NS = 10 * NS_PER_US };

/* From fork.c of the kernel: the clock of one thread's processor time. */
#define CLOCK_OF(tid) ((clockid_t)(~(unsigned)(tid) << 3 | 6U))

#if defined(__x86_64__)
enum { PC = REG_RIP, SP = REG_RSP, FP = REG_RBP };
#elif defined(__i386__)
enum { PC = REG_EIP, SP = REG_UESP, FP = REG_EBP };
#else
#error "registers of this platform are not known"
#endif

/* Reasons of AsyncGetCallTrace; the last one is ours, for a walk that ended at an address that is not mapped. */
enum { UNKNOWN_JAVA = -5, NOT_WALKABLE_JAVA = -6, FAULT = -100 };

/* Where a function is: the instruction, the top of its stack, the frame pointer. */
struct point {
    uintptr_t code;
    uintptr_t top;
    uintptr_t frame;
};

struct segment {
    uintptr_t begin;
    uintptr_t end;
};

enum { RETIRED = -1 };

struct timer {
    pid_t tid;         /* 0 for none, RETIRED for an event whose page a handler may still read */
    int id;            /* of the kernel, not of the C library */
    struct perf event; /* in use if it has a page; there is no timer then */
};

static atomic_int running;
static JavaVM *vm;
static get_call_trace *call_trace;
static struct segment segments[MAX_SEGMENTS];
static int segment_count;
static struct timer timers[MAX_THREADS];
static int64_t event_interval_ns;
static int event_error;
static struct sigaction fault_before;

/* ---- in the handlers */

static int in_library(uintptr_t code)
{
    for (int i = 0; i < segment_count; i++)
        if (code >= segments[i].begin && code < segments[i].end)
            return 1;
    return 0;
}

/* The kernel sends the signal as it returns to behind the instruction of a system call: syscall, sysenter or int 0x80. */
static int returns_from_kernel(uintptr_t code)
{
    const unsigned char *before = (const unsigned char *)code - 2;
    return (before[0] == 0x0f && (before[1] == 0x05 || before[1] == 0x34)) || (before[0] == 0xcd && before[1] == 0x80);
}

/* The VM follows a frame pointer that it is given, and makes the anchor that it finds there walkable: one that is no frame of this stack is left
 * out. A caller that is compiled does not need it. */
static uintptr_t frame_or_none(struct point point)
{
    int is_frame = point.frame > point.top && point.frame - point.top <= MAX_FRAME_BYTES && point.frame % sizeof(uintptr_t) == 0;
    return is_frame ? point.frame : 0;
}

static void set(greg_t *registers, struct point point)
{
    registers[PC] = (greg_t)point.code;
    registers[SP] = (greg_t)point.top;
    registers[FP] = (greg_t)point.frame;
}

/* The caller's point by the frame pointer; its code is 0 if the register holds something else. */
static struct point caller_of(struct point point)
{
    const uintptr_t *frame = (const uintptr_t *)point.frame;
    if (point.frame < point.top || point.frame - point.top > MAX_FRAME_BYTES || point.frame % sizeof *frame != 0)
        return (struct point){0};
    return (struct point){.code = frame[1], .top = point.frame + 2 * sizeof *frame, .frame = frame[0]};
}

/* Follows frame pointers, which HotSpot is compiled with, from function to function of libraries. A leaf without one hides its caller. Returns
 * the point in generated code that has called them, or the one where the walk began. */
static struct point walk(struct point start, struct sample *sample)
{
    struct point at = start;
    if (in_library(at.code) && returns_from_kernel(at.code))
        sample->flags |= IN_KERNEL;
    while (sample->native < MAX_NATIVE && in_library(at.code)) {
        sample->codes[sample->native++] = at.code;
        at = caller_of(at);
    }
    return at.code == 0 || in_library(at.code) ? start : at;
}

/* The VM walks from a frame that is whole. At the begin and the end of a method, and in its own stubs, none is: the caller's is then at the top of
 * the stack, below a saved frame pointer, or where the frame pointer says. */
static jint trace_java(struct java_trace *trace, struct point at, ucontext_t *context, struct sample *sample)
{
    const uintptr_t *top = (const uintptr_t *)at.top;
    greg_t *registers = context->uc_mcontext.gregs;
    for (int attempt = 0; attempt < 4; attempt++) {
        struct point from = attempt == 0 ? at
            : attempt == 1 ? (struct point){top[0], at.top + sizeof *top, at.frame}
            : attempt == 2 ? (struct point){top[1], at.top + 2 * sizeof *top, top[0]}
            : at.frame - at.top < MAX_STUB_BYTES ? caller_of(at) : (struct point){0};
        if (from.code == 0 || (attempt > 0 && in_library(from.code)))
            continue;
        if (attempt > 0)
            from.frame = frame_or_none(from);
        set(registers, from);
        call_trace(trace, MAX_JAVA, context);
        if (trace->count != UNKNOWN_JAVA && trace->count != NOT_WALKABLE_JAVA)
            break;
        sample->flags |= LOST_LEAF;
    }
    if (trace->count <= 0)
        sample->flags &= ~LOST_LEAF;
    return trace->count;
}

/* Returns 0 if the event has no record for the sample. */
static int fill(struct place *place, ucontext_t *context, struct perf event)
{
    struct sample *sample = &place->sample;
    struct java_trace trace = {.frames = sample->frames};
    greg_t *registers = context->uc_mcontext.gregs;
    const struct point start = {(uintptr_t)registers[PC], (uintptr_t)registers[SP], (uintptr_t)registers[FP]};
    sample->tid = OWN_TID;
    sample->flags = 0;
    sample->kernel = 0;
    sample->native = 0;
    sample->java = FAULT;
    /* before the walk, which may cause a record of its own */
    sample->weight = event.page == NULL ? 1 : perf_take(event, event_interval_ns, sample);
    if (sample->weight == 0)
        return 0;
    if (sigsetjmp(place->escape, 1) == 0) {
        atomic_store(&place->guarded, 1);
        struct point at = walk(start, sample);
        int is_java = (*vm)->GetEnv(vm, (void **)&trace.env, JNI_VERSION_1_6) == JNI_OK && trace.env != NULL;
        sample->java = is_java ? trace_java(&trace, at, context, sample) : 0;
    }
    atomic_store(&place->guarded, 0);
    if (event.page != NULL)
        sample->flags = sample->kernel > 0 ? sample->flags | IN_KERNEL : sample->flags & ~IN_KERNEL;
    /* the thread goes on with them */
    set(registers, start);
    return 1;
}

/* Returns the event that has sent the signal to this thread; without a page if none has. Only the kernel sends signals with this code. */
static struct perf event_of(const siginfo_t *told)
{
    pid_t self = told->si_code == POLL_IN ? OWN_TID : 0;
    for (int i = 0; self != 0 && i < MAX_THREADS; i++)
        if (timers[i].tid == self && timers[i].event.page != NULL && timers[i].event.fd == told->si_fd)
            return timers[i].event;
    return (struct perf){0};
}

/* Sent by a timer or by sampler_signal. */
static int is_ours(const siginfo_t *told)
{
    return (told->si_code == SI_TIMER && told->si_value.sival_ptr == timers) || (told->si_code == SI_TKILL && told->si_pid == getpid());
}

static void on_tick(int number, siginfo_t *told, void *context)
{
    int error = errno;
    (void)number;
    struct place *place = told->si_code == POLL_IN || is_ours(told) ? ring_claim() : NULL;
    /* the page of an event stays mapped while its thread has a place */
    struct perf event = place == NULL ? (struct perf){0} : event_of(told);
    /* the ring may be open for a profile without the handler of faults by now */
    int is_wanted = atomic_load(&running) && (event.page != NULL || is_ours(told));
    if (place != NULL && is_wanted && fill(place, context, event))
        ring_publish(place);
    else if (place != NULL)
        ring_return(place);
    errno = error;
}

/* A fault in a walk ends that walk. AsyncGetCallTrace holds nothing, and only writes to its own frames and to the anchors of Java frames in this
 * stack; the VM goes on taking the thread for one that is inside, and keeps no code positions for it. All other faults are the VM's, which
 * needs them: implicit null checks, polls for safepoints, and its own careful reads, which a walk uses as well and which are generated code. */
static void on_fault(int number, siginfo_t *told, void *context)
{
    int is_walk = in_library((uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[PC]);
    struct place *place = is_walk ? ring_guarded(OWN_TID) : NULL;
    if (place != NULL) {
        atomic_store(&place->guarded, 0);
        siglongjmp(place->escape, 1);
    }
    fault_before.sa_sigaction(number, told, context);
}

/* ---- outside */

static int add_segments(struct dl_phdr_info *library, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < library->dlpi_phnum && segment_count < MAX_SEGMENTS; i++) {
        const ElfW(Phdr) *header = &library->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && (header->p_flags & PF_X)) {
            uintptr_t begin = library->dlpi_addr + header->p_vaddr;
            segments[segment_count++] = (struct segment){begin, begin + header->p_memsz};
        }
    }
    return 0;
}

int sampler_start(JavaVM *java, get_call_trace *trace)
{
    struct sigaction before, now, tick = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigaction fault = {.sa_sigaction = on_fault};
    if (atomic_load(&running) || sigaction(SIGPROF, NULL, &before) != 0 || (before.sa_flags & SA_SIGINFO) ||
        (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN))
        return EBUSY;
    if (sigaction(SIGSEGV, NULL, &now) != 0 || !(now.sa_flags & SA_SIGINFO))
        return ENOTSUP;
    /* the VM's, unless the last profile could not put it back */
    if (now.sa_sigaction != on_fault)
        fault_before = now;
    vm = java;
    call_trace = trace;
    segment_count = 0;
    event_error = 0;
    (void)dl_iterate_phdr(add_segments, NULL);
    (void)sigfillset(&tick.sa_mask);
    /* a fault of the handler itself */
    (void)sigdelset(&tick.sa_mask, SIGSEGV);
    (void)sigdelset(&tick.sa_mask, SIGBUS);
    fault.sa_flags = fault_before.sa_flags;
    fault.sa_mask = fault_before.sa_mask;
    if (sigaction(SIGSEGV, &fault, NULL) != 0 || sigaction(SIGPROF, &tick, NULL) != 0) {
        int error = errno;
        (void)sigaction(SIGSEGV, &fault_before, NULL);
        return error;
    }
    ring_open();
    atomic_store(&running, 1);
    return 0;
}

static struct timer *find(pid_t tid)
{
    for (int i = 0; i < MAX_THREADS; i++)
        if (timers[i].tid == tid)
            return &timers[i];
    return NULL;
}

static int set_timer(struct timer *timer, pid_t tid, int64_t first_ns, int64_t interval_ns)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
    event.sigev_value.sival_ptr = timers;
    event._sigev_un._tid = tid;
    if (syscall(SYS_timer_create, CLOCK_OF(tid), &event, &timer->id) != 0)
        return errno;
    struct itimerspec times = {.it_value = {.tv_sec = (time_t)(first_ns / NS_PER_S), .tv_nsec = (long)(first_ns % NS_PER_S)},
        .it_interval = {.tv_sec = (time_t)(interval_ns / NS_PER_S), .tv_nsec = (long)(interval_ns % NS_PER_S)}};
    if (syscall(SYS_timer_settime, timer->id, 0, &times, NULL) == 0)
        return 0;
    int error = errno;
    (void)syscall(SYS_timer_delete, timer->id);
    return error;
}

int sampler_arm(pid_t tid, int64_t interval_ns, int want_event)
{
    struct timer *timer = find(0);
    if (timer == NULL)
        return EAGAIN;
    /* Threads that run for less than an interval are sampled as well, in proportion. One that has just started has told the VM who it is by then:
     * before that, asking for it would allocate the thread's part of the VM's variables, in the handler. */
    int64_t first_ns = NS_PER_MS + (int64_t)((uint64_t)tid * 2654435761U % (uint64_t)interval_ns);
    event_interval_ns = interval_ns;
    /* An event may send its signal before this function returns. */
    timer->tid = tid;
    int refused = want_event ? perf_open(&timer->event, tid, first_ns) : ENOTSUP;
    if (refused == 0)
        return BY_EVENT;
    event_error = refused;
    int error = set_timer(timer, tid, first_ns, interval_ns);
    if (error != 0)
        timer->tid = 0;
    return error;
}

/* Stops the signals. The page of an event stays, as a handler may read it. */
static void silence(struct timer *timer)
{
    if (timer->event.page != NULL)
        perf_silence(&timer->event);
    else
        (void)syscall(SYS_timer_delete, timer->id);
}

/* Frees a silent one, or keeps its page until a later profile ends. */
static void release(struct timer *timer, int may_be_read)
{
    if (timer->event.page != NULL && !may_be_read)
        perf_free(&timer->event);
    timer->tid = timer->event.page == NULL ? 0 : RETIRED;
}

int sampler_event_error(void)
{
    return event_error;
}

void sampler_disarm(pid_t tid)
{
    struct timer *timer = tid <= 0 ? NULL : find(tid);
    if (timer != NULL) {
        silence(timer);
        /* a list of threads may lack one that is there */
        release(timer, syscall(SYS_tgkill, getpid(), tid, 0) == 0);
    }
}

int sampler_signal(pid_t tid)
{
    struct timespec ran;
    if (clock_gettime(CLOCK_OF(tid), &ran) != 0)
        return ESRCH;
    /* for the reason that sampler_arm has */
    if (ran.tv_sec == 0 && ran.tv_nsec < INTRODUCED_NS)
        return EAGAIN;
    return syscall(SYS_tgkill, getpid(), tid, SIGPROF) == 0 ? 0 : errno;
}

void sampler_stop(void)
{
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    for (int i = 0; i < MAX_THREADS; i++)
        if (timers[i].tid > 0)
            silence(&timers[i]);
    if (!atomic_exchange(&running, 0))
        return;
    /* a signal that is still on its way would end the process by default, so it stays ignored */
    (void)sigaction(SIGPROF, &ignored, NULL);
    /* a thread that is still in a handler keeps the handlers, its place and its page */
    int empty = ring_close();
    if (empty)
        (void)sigaction(SIGSEGV, &fault_before, NULL);
    for (int i = 0; i < MAX_THREADS; i++)
        if (timers[i].tid != 0)
            release(&timers[i], !empty);
}
