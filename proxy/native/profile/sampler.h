/* Samples of the stacks that the threads of this process run, each taken by a signal in its own thread. */
#ifndef REMORA_SAMPLER_H
#define REMORA_SAMPLER_H

#include <jni.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Frames of C and C++, and of Java, that a sample has at most. */
enum { MAX_NATIVE = 48, MAX_JAVA = 128 };

/* Flags of a sample: the thread returned from a system call; the method or stub that ran is not among the frames, only its caller. */
enum { IN_KERNEL = 1, LOST_LEAF = 2 };

/* AsyncGetCallTrace's own types, as forte.cpp of HotSpot declares them. */
struct java_frame {
    jint bci;
    jmethodID method;
};

struct java_trace {
    JNIEnv *env;
    jint count;
    struct java_frame *frames;
};

typedef void get_call_trace(struct java_trace *trace, jint depth, void *context);

/* One stack, with the innermost frame first. */
struct sample {
    pid_t tid;
    int flags;
    int native;     /* frames of C and C++, which called none of Java's */
    jint java;      /* frames of Java, or a negative reason why there are none, as AsyncGetCallTrace has it */
    uintptr_t codes[MAX_NATIVE];
    struct java_frame frames[MAX_JAVA];
};

/* Installs the handlers. Returns 0, or an errno: EBUSY where another profiler has the signal. */
int sampler_start(JavaVM *vm, get_call_trace *trace);

/* Has a thread sampled once per interval of its processor time. Returns 0 or an errno. */
int sampler_arm(pid_t tid, int64_t interval_ns);

/* Frees the timer of a thread, which may have ended. */
void sampler_disarm(pid_t tid);

/* Copies a sample that is complete, and frees its place; 0 where there is none. One thread at a time. */
int sampler_take(struct sample *into);

/* Samples for which there was no room. */
long sampler_dropped(void);

/* Ends all timers, puts the handlers back and frees the buffer's memory, once no thread is in a handler. */
void sampler_stop(void);

#endif
