/* Stacks on their way from the threads that took them to the thread of the profile, in a fixed number of places. */
#ifndef REMORA_RING_H
#define REMORA_RING_H

#include <jni.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* Frames of the kernel, of C and C++, and of Java, that a sample has at most. */
enum { MAX_KERNEL = 32, MAX_NATIVE = 48, MAX_JAVA = 128 };

/* Flags of a sample. IN_KERNEL: the thread was in the kernel. LOST_LEAF: the frames lack the method or stub that ran. HAS_TYPE: a class replaces
 * the frames of C. */
enum { IN_KERNEL = 1, LOST_LEAF = 2, HAS_TYPE = 4 };

#define OWN_TID ((pid_t)syscall(SYS_gettid))

/* AsyncGetCallTrace's own type, as forte.cpp of HotSpot declares it. */
struct java_frame {
    jint bci;
    jmethodID method;
};

/* One stack, with the innermost frame first. */
struct sample {
    pid_t tid;
    int flags;
    int kernel;     /* frames of the kernel; none if the sample comes from a timer */
    int native;     /* frames of C and C++, which called none of Java's */
    jint java;      /* frames of Java, or a negative reason why there are none, as AsyncGetCallTrace has it */
    int64_t weight; /* one sample, the object's bytes, or the nanoseconds of a wait */
    uint64_t kernel_codes[MAX_KERNEL]; /* of a 64-bit kernel, even below a 32-bit process */
    union {
        uintptr_t codes[MAX_NATIVE];
        char type[MAX_NATIVE * sizeof(uintptr_t)]; /* a class by its signature, which is cut if it is longer */
    };
    struct java_frame frames[MAX_JAVA];
};

struct place {
    atomic_int state;
    atomic_int guarded; /* its thread reads memory that may not be mapped */
    sigjmp_buf escape;
    struct sample sample;
};

/* Begins to hand out places. */
void ring_open(void);

/* Hands out no more places, waits up to a second for the threads that have one, and frees the memory. Returns 0 if a thread still has one. */
int ring_close(void);

/* Returns a place to fill, NULL if there is none or the ring is closed. Async-signal-safe, as the next three are. */
struct place *ring_claim(void);

/* Hands a place over to the thread of the profile. */
void ring_publish(struct place *place);

/* Returns a place that was not filled. */
void ring_return(struct place *place);

/* Returns the place whose guard this thread has raised, NULL without. */
struct place *ring_guarded(pid_t self);

/* Copies a sample that is complete, and frees its place; 0 where there is none. One thread at a time. */
int ring_take(struct sample *into);

/* Samples for which there was no room. */
long ring_dropped(void);

#endif
