/* Callbacks of the VM's tool interface. They run in the thread that allocates or has waited, outside of signal handlers: they may ask the VM for
 * that thread's stack, and neither load classes nor allocate objects. */
#define _GNU_SOURCE
#include "events.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define UNUSED(...) (void)sizeof((const void *[]){__VA_ARGS__})

/* Bytes between two samples of a thread unless a tool asks for others: threadHeapSampler.cpp of HotSpot, and the JVMTI specification. */
enum { VM_INTERVAL = 512 << 10 };

enum { NS_PER_S = 1000000000 };

static _Atomic int64_t began_ns;
static atomic_int own; /* the thread of the profile, whose samples would cause others */
static __thread int64_t waits_since_ns;

static int64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void name(jvmtiEnv *jvmti, jclass type, char *into, size_t room)
{
    char *signature;
    *into = '\0';
    if ((*jvmti)->GetClassSignature(jvmti, type, &signature, NULL) != JVMTI_ERROR_NONE)
        return;
    size_t length = strlen(signature);
    if (length >= room) {
        length = room - 1;
        /* not within a character */
        while (length > 0 && (signature[length] & 0x80))
            length--;
    }
    memcpy(into, signature, length);
    into[length] = '\0';
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
}

static void record(jvmtiEnv *jvmti, jclass type, int64_t weight)
{
    jvmtiFrameInfo frames[MAX_JAVA];
    jint count = 0;
    pid_t tid = OWN_TID;
    struct place *place = tid == atomic_load(&own) ? NULL : ring_claim();
    if (place == NULL)
        return;
    struct sample *sample = &place->sample;
    if ((*jvmti)->GetStackTrace(jvmti, NULL, 0, MAX_JAVA, frames, &count) != JVMTI_ERROR_NONE)
        count = 0;
    for (jint i = 0; i < count; i++)
        sample->frames[i].method = frames[i].method;
    sample->tid = tid;
    sample->flags = HAS_TYPE;
    sample->kernel = 0;
    sample->native = 0;
    sample->java = count;
    sample->weight = weight;
    name(jvmti, type, sample->type, sizeof sample->type);
    ring_publish(place);
}

static void JNICALL allocated(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object, jclass type, jlong size)
{
    UNUSED(env, thread, object);
    record(jvmti, type, size);
}

static void JNICALL waits(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject monitor)
{
    UNUSED(jvmti, env, thread, monitor);
    waits_since_ns = now_ns();
}

/* One that has begun to wait before the profile may have the time of an earlier profile. */
static void JNICALL entered(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject monitor)
{
    UNUSED(thread);
    if (waits_since_ns > atomic_load(&began_ns))
        record(jvmti, (*env)->GetObjectClass(env, monitor), now_ns() - waits_since_ns);
    waits_since_ns = 0;
}

static int set_events(jvmtiEnv *jvmti, jvmtiEventMode mode, const jvmtiEvent *events, int count)
{
    int set = 1;
    for (int i = 0; i < count; i++)
        set = (*jvmti)->SetEventNotificationMode(jvmti, mode, events[i], NULL) == JVMTI_ERROR_NONE && set;
    return set;
}

static const jvmtiEvent ALLOCATIONS[] = {JVMTI_EVENT_SAMPLED_OBJECT_ALLOC};
static const jvmtiEvent WAITS[] = {JVMTI_EVENT_MONITOR_CONTENDED_ENTER, JVMTI_EVENT_MONITOR_CONTENDED_ENTERED};

static const jvmtiCapabilities ALLOCATION_RIGHT = {.can_generate_sampled_object_alloc_events = 1};
static const jvmtiCapabilities WAIT_RIGHT = {.can_generate_monitor_events = 1};

const char *allocations_start(jvmtiEnv *jvmti, jint interval)
{
    jvmtiEventCallbacks callbacks = {.SampledObjectAlloc = allocated};
    /* one tool at a time has this capability, and with it the interval */
    if ((*jvmti)->AddCapabilities(jvmti, &ALLOCATION_RIGHT) != JVMTI_ERROR_NONE)
        return "the VM does not sample allocations, or does so for another tool";
    atomic_store(&own, OWN_TID);
    ring_open();
    if ((*jvmti)->SetHeapSamplingInterval(jvmti, interval) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE ||
        !set_events(jvmti, JVMTI_ENABLE, ALLOCATIONS, 1)) {
        events_stop(jvmti);
        return "the VM does not report allocations";
    }
    return NULL;
}

const char *waits_start(jvmtiEnv *jvmti)
{
    jvmtiEventCallbacks callbacks = {.MonitorContendedEnter = waits, .MonitorContendedEntered = entered};
    if ((*jvmti)->AddCapabilities(jvmti, &WAIT_RIGHT) != JVMTI_ERROR_NONE)
        return "the VM does not report waits for monitors";
    atomic_store(&own, OWN_TID);
    ring_open();
    atomic_store(&began_ns, now_ns());
    if ((*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE ||
        !set_events(jvmti, JVMTI_ENABLE, WAITS, 2)) {
        events_stop(jvmti);
        return "the VM does not report waits for monitors";
    }
    return NULL;
}

void events_stop(jvmtiEnv *jvmti)
{
    (void)set_events(jvmti, JVMTI_DISABLE, ALLOCATIONS, 1);
    (void)set_events(jvmti, JVMTI_DISABLE, WAITS, 2);
    /* refused without the capability, and then not needed */
    (void)(*jvmti)->SetHeapSamplingInterval(jvmti, VM_INTERVAL);
    (void)(*jvmti)->RelinquishCapabilities(jvmti, &ALLOCATION_RIGHT);
    (void)(*jvmti)->RelinquishCapabilities(jvmti, &WAIT_RIGHT);
    (void)ring_close();
}
