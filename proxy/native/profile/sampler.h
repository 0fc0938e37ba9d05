/* Samples of the stacks of threads, each taken by a signal in its own thread. */
#ifndef REMORA_SAMPLER_H
#define REMORA_SAMPLER_H

#include "ring.h"

/* AsyncGetCallTrace's own types, as forte.cpp of HotSpot declares them. */
struct java_trace {
    JNIEnv *env;
    jint count;
    struct java_frame *frames;
};

typedef void get_call_trace(struct java_trace *trace, jint depth, void *context);

/* Installs the handlers. Returns 0, or an errno: EBUSY where another profiler has the signal. */
int sampler_start(JavaVM *vm, get_call_trace *trace);

/* Results of sampler_arm that are no errno. */
enum { BY_TIMER = 0, BY_EVENT = -1 };

/* Samples a thread once per interval of its CPU time. It uses an event of perf if one is wanted and the thread can have one, else a timer. Returns one
 * of the above, or an errno. */
int sampler_arm(pid_t tid, int64_t interval_ns, int want_event);

/* Returns the errno of the last event that a thread could not have since the start, 0 for none. */
int sampler_event_error(void);

/* Frees the timer or event of a thread, which may have ended. */
void sampler_disarm(pid_t tid);

/* Samples a thread now, whether it runs or waits. Returns 0 or an errno: EAGAIN for one that has only just started. */
int sampler_signal(pid_t tid);

/* Ends all timers and events, puts the handlers back and frees the buffer's memory, once no thread is in a handler. */
void sampler_stop(void);

#endif
