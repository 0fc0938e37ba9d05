/* The profiler's functions for Java: they start and stop the sampler, and name what it has found. */
#define _GNU_SOURCE
#include "events.h"
#include "kallsyms.h"
#include "perf.h"
#include "sampler.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define JNI(type, name, ...) JNIEXPORT type JNICALL Java_io_remora_profile_NativeSampler_##name(__VA_ARGS__)
#define UNUSED(...) (void)sizeof((const void *[]){__VA_ARGS__})

/* Raised with each change of what the library offers, so that a jar finds out about one that it was not made for. */
enum { REVISION = 3 };

/* The kinds of profiles, by the numbers of the class ProfileKind. */
enum { CPU, WALL, ALLOC, LOCK, KERNEL };

/* Numbers in front of the frames of a sample: thread, flags, frames of the kernel, of C, and of Java, and the weight. */
enum { HEAD = 6, MAX_NUMBERS = HEAD + MAX_KERNEL + MAX_NATIVE + MAX_JAVA };

/* Bytes of a name, with its end; a longer one is cut. */
enum { NAME_BYTES = 160 };

/* Environment that the first profile makes and that stays: the VM frees a disposed one only at a later collection. */
static jvmtiEnv *jvmti;
static int active; /* something is sampled */
static int active_kind;
static int perf_error; /* of perf_event_open; 0 while threads have its events */
static long kernel_functions;
static struct sample taken; /* by the thread of the profile, the last one */

/* The VM names frames by identifiers that it has given out before: a handler cannot allocate one. */
static void JNICALL identify(jvmtiEnv *from, JNIEnv *env, jthread thread, jclass type)
{
    jint count;
    jmethodID *methods;
    UNUSED(env, thread);
    if ((*from)->GetClassMethods(from, type, &count, &methods) == JVMTI_ERROR_NONE)
        (void)(*from)->Deallocate(from, (unsigned char *)methods);
}

static void identify_all(JNIEnv *env)
{
    jint count;
    jclass *types;
    if ((*jvmti)->GetLoadedClasses(jvmti, &count, &types) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        identify(jvmti, env, NULL, types[i]);
        (*env)->DeleteLocalRef(env, types[i]);
    }
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)types);
}

static void ignore_classes(void)
{
    (void)(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_CLASS_LOAD, NULL);
    (void)(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_CLASS_PREPARE, NULL);
}

static const char *stacks_start(JNIEnv *env, JavaVM *vm)
{
    /* AsyncGetCallTrace works only if the first event is on, in which a class has no methods yet */
    jvmtiEventCallbacks callbacks = {.ClassLoad = identify, .ClassPrepare = identify};
    get_call_trace *trace;
    void *symbol = dlsym(RTLD_DEFAULT, "AsyncGetCallTrace");
    if (symbol == NULL)
        return "the VM has no AsyncGetCallTrace";
    memcpy(&trace, &symbol, sizeof trace);
    if ((*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_LOAD, NULL) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_PREPARE, NULL) != JVMTI_ERROR_NONE) {
        ignore_classes();
        return "the VM does not report loaded classes";
    }
    identify_all(env);
    int error = sampler_start(vm, trace);
    if (error == 0)
        return NULL;
    ignore_classes();
    return error == EBUSY ? "another profiler handles SIGPROF" : strerror(error);
}

static const char *start(JNIEnv *env, jint kind, jint interval)
{
    JavaVM *vm;
    if (active)
        return "a profile is being taken";
    if ((*env)->GetJavaVM(env, &vm) != JNI_OK ||
        (jvmti == NULL && (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)) {
        jvmti = NULL;
        return "the VM has no tool interface (JVMTI)";
    }
    const char *problem = kind == ALLOC ? allocations_start(jvmti, interval) : kind == LOCK ? waits_start(jvmti) : stacks_start(env, vm);
    active = problem == NULL;
    active_kind = kind;
    perf_error = kind == KERNEL ? perf_allowed() : ENOTSUP;
    kernel_functions = active && perf_error == 0 ? kallsyms_read() : 0;
    return problem;
}

JNI(jint, revision, JNIEnv *env, jclass unused)
{
    UNUSED(env, unused);
    return REVISION;
}

JNI(jstring, start, JNIEnv *env, jclass unused, jint kind, jint interval)
{
    UNUSED(unused);
    const char *problem = start(env, kind, interval);
    return problem == NULL ? NULL : (*env)->NewStringUTF(env, problem);
}

JNI(void, stop, JNIEnv *env, jclass unused)
{
    UNUSED(env, unused);
    if (active && (active_kind == ALLOC || active_kind == LOCK)) {
        events_stop(jvmti);
    } else if (active) {
        sampler_stop();
        ignore_classes();
        kallsyms_free();
    }
    active = 0;
}

JNI(jint, arm, JNIEnv *env, jclass unused, jint tid, jlong interval_ns)
{
    UNUSED(env, unused);
    return active && (active_kind == CPU || active_kind == KERNEL) ? sampler_arm(tid, interval_ns, perf_error == 0) : EINVAL;
}

/* Returns the errno of perf_event_open, or of the last thread that could not have an event; 0 if all have one. */
JNI(jint, perfError, JNIEnv *env, jclass unused)
{
    UNUSED(env, unused);
    return perf_error != 0 ? perf_error : sampler_event_error();
}

JNI(void, disarm, JNIEnv *env, jclass unused, jint tid)
{
    UNUSED(env, unused);
    sampler_disarm(tid);
}

JNI(jint, signal, JNIEnv *env, jclass unused, jint tid)
{
    UNUSED(env, unused);
    return active && active_kind == WALL ? sampler_signal(tid) : EINVAL;
}

JNI(jlong, dropped, JNIEnv *env, jclass unused)
{
    UNUSED(env, unused);
    return ring_dropped();
}

JNI(jint, kernelFunctions, JNIEnv *env, jclass unused)
{
    UNUSED(env, unused);
    return (jint)kernel_functions;
}

/* Names and where they go. */
struct naming {
    JNIEnv *env;
    jobjectArray names;
};

/* Keeps the first name of a function. */
static void name_function(void *context, long number, const char *name)
{
    struct naming *naming = context;
    JNIEnv *env = naming->env;
    /* no memory for an earlier one */
    if ((*env)->ExceptionCheck(env))
        return;
    jobject known = (*env)->GetObjectArrayElement(env, naming->names, (jsize)number);
    if (known == NULL) {
        known = (*env)->NewStringUTF(env, name);
        if (known != NULL)
            (*env)->SetObjectArrayElement(env, naming->names, (jsize)number, known);
    }
    (*env)->DeleteLocalRef(env, known);
}

/* Fills an array with the names of functions of the kernel, by their addresses in ascending order. Leaves out those without a name. */
JNI(void, kernelNames, JNIEnv *env, jclass unused, jlongArray starts, jobjectArray names)
{
    struct naming naming = {.env = env, .names = names};
    UNUSED(unused);
    jlong *addresses = (*env)->GetLongArrayElements(env, starts, NULL);
    if (addresses == NULL)
        return;
    kallsyms_names((const uint64_t *)addresses, (*env)->GetArrayLength(env, starts), name_function, &naming);
    (*env)->ReleaseLongArrayElements(env, starts, addresses, JNI_ABORT);
}

/* Fills the array with one sample; returns how many numbers it has, 0 without a sample. */
JNI(jint, take, JNIEnv *env, jclass unused, jlongArray into)
{
    jlong numbers[MAX_NUMBERS];
    jint count = HEAD;
    UNUSED(unused);
    if ((*env)->GetArrayLength(env, into) < MAX_NUMBERS || !ring_take(&taken))
        return 0;
    numbers[0] = taken.tid;
    numbers[1] = taken.flags;
    numbers[2] = taken.kernel;
    numbers[3] = taken.native;
    numbers[4] = taken.java;
    numbers[5] = taken.weight;
    /* a caller's code is behind its call */
    for (int i = 0; i < taken.kernel; i++)
        numbers[count++] = (jlong)kallsyms_function(taken.kernel_codes[i] - (i > 0));
    for (int i = 0; i < taken.native; i++)
        numbers[count++] = (jlong)taken.codes[i];
    for (jint i = 0; i < taken.java; i++)
        numbers[count++] = (jlong)(uintptr_t)taken.frames[i].method;
    (*env)->SetLongArrayRegion(env, into, 0, count, numbers);
    return count;
}

/* Returns the signature of the class in the sample that was taken last, NULL if it has none. */
JNI(jstring, type, JNIEnv *env, jclass unused)
{
    UNUSED(unused);
    return taken.flags & HAS_TYPE ? (*env)->NewStringUTF(env, taken.type) : NULL;
}

/* Returns CLASS.METHOD of an identifier, with the class as it is in the VM, or NULL for one that is unknown. */
JNI(jstring, method, JNIEnv *env, jclass unused, jlong id)
{
    jmethodID method = (jmethodID)(uintptr_t)id;
    jclass type;
    char *name = NULL, *signature = NULL, text[NAME_BYTES];
    jstring result = NULL;
    UNUSED(unused);
    if (jvmti == NULL || method == NULL || (*jvmti)->GetMethodDeclaringClass(jvmti, method, &type) != JVMTI_ERROR_NONE)
        return NULL;
    if ((*jvmti)->GetMethodName(jvmti, method, &name, NULL, NULL) == JVMTI_ERROR_NONE &&
        (*jvmti)->GetClassSignature(jvmti, type, &signature, NULL) == JVMTI_ERROR_NONE) {
        /* without the L and the semicolon around it */
        size_t length = strlen(signature);
        int inner = length > 2 && *signature == 'L' ? (int)length - 2 : 0;
        int size = snprintf(text, sizeof text, "%.*s.%s", inner, signature + 1, name);
        result = size > 0 && (size_t)size < sizeof text ? (*env)->NewStringUTF(env, text) : NULL;
    }
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    (*env)->DeleteLocalRef(env, type);
    return result;
}

/* Returns "OFFSET PATH" of the library that an address is in, with the function's name behind a line feed if the library exports it. */
JNI(jstring, symbol, JNIEnv *env, jclass unused, jlong address)
{
    Dl_info found;
    char text[2 * NAME_BYTES];
    UNUSED(unused);
    if (dladdr((void *)(uintptr_t)address, &found) == 0 || found.dli_fname == NULL)
        return NULL;
    unsigned long offset = (unsigned long)address - (unsigned long)(uintptr_t)found.dli_fbase;
    int size = snprintf(text, sizeof text, "%lu %s\n%s", offset, found.dli_fname, found.dli_sname == NULL ? "" : found.dli_sname);
    return size > 0 && (size_t)size < sizeof text ? (*env)->NewStringUTF(env, text) : NULL;
}
