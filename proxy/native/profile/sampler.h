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

/* Has a thread sampled once per interval of its processor time. Returns 0 or an errno. */
int sampler_arm(pid_t tid, int64_t interval_ns);

/* Frees the timer of a thread, which may have ended. */
void sampler_disarm(pid_t tid);

/* Samples a thread now, whether it runs or waits. Returns 0 or an errno: EAGAIN for one that has only just started. */
int sampler_signal(pid_t tid);

/* Ends all timers, puts the handlers back and frees the buffer's memory, once no thread is in a handler. */
void sampler_stop(void);

#endif
