/* Threads of a native program in a VM: "threads LIBJVM CLASSPATH [OPTION ...]". Some are there before the VM's library is loaded, some end while they are
 * attached, and some run when the VM ends. Meanwhile a signal's handler compares what the VM takes for the current thread with what the thread itself knows.
 * Prints the number of signals that were compared. Thread-local storage of PAD octets moves that of the VM. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <jni.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef PAD
#define PAD 4
#endif

enum { EARLY = 3, LATE = 3, AT_THE_END = 2, THREADS = EARLY + LATE, ROUNDS = 12 };

struct thread {
    pthread_t id;
    int number;
    char name[32];
};

static __thread volatile char pad[PAD];
static __thread JNIEnv *volatile own;
static __thread volatile sig_atomic_t changing;

static JavaVM *vm;
static jclass type;
static jmethodID work, work_on, collect;
static sem_t vm_is_there;
static pthread_key_t at_exit;
static atomic_int compared, running, spinning;

static void give_up(const char *what)
{
    fprintf(stderr, "%s\n", what);
    _exit(1);
}

/* A handler may interrupt the VM anywhere. Each thread also runs it when it has been attached or detached. */
static void compare(int number)
{
    int before = errno;
    void *env = NULL;
    (void)number;
    if (changing)
        return;
    if ((*vm)->GetEnv(vm, &env, JNI_VERSION_1_8) != JNI_OK)
        env = NULL;
    if (env != own)
        give_up("the VM takes another thread for the current one");
    atomic_fetch_add(&compared, 1);
    errno = before;
}

static void attach(struct thread *self, int as_daemon)
{
    JavaVMAttachArgs arguments = {JNI_VERSION_1_8, self->name, NULL};
    void *env;
    changing = 1;
    if ((as_daemon ? (*vm)->AttachCurrentThreadAsDaemon(vm, &env, &arguments) : (*vm)->AttachCurrentThread(vm, &env, &arguments)) != JNI_OK)
        give_up("a thread cannot be attached");
    own = env;
    changing = 0;
    raise(SIGPROF);
}

static void detach(void)
{
    changing = 1;
    if ((*vm)->DetachCurrentThread(vm) != JNI_OK)
        give_up("a thread cannot be detached");
    own = NULL;
    changing = 0;
    raise(SIGPROF);
}

static void work_as(struct thread *self)
{
    JNIEnv *env = own;
    jstring name = (*env)->NewStringUTF(env, self->name);
    if (name == NULL || !(*env)->CallStaticBooleanMethod(env, type, work, name))
        give_up("a thread was another one in Java");
    (*env)->DeleteLocalRef(env, name);
}

/* Runs when a thread ends that is still attached. */
static void end_attached(void *self)
{
    work_as(self);
    detach();
}

static void *run(void *argument)
{
    struct thread *self = argument;
    pad[0] = 1;
    sem_wait(&vm_is_there);
    for (int round = 0; round < ROUNDS; round++) {
        snprintf(self->name, sizeof self->name, "thread-%d-%d", self->number, round);
        attach(self, round % 2);
        work_as(self);
        if (round == ROUNDS - 1 && self->number % 2 == 0)
            pthread_setspecific(at_exit, self);
        else
            detach();
    }
    /* a signal would meet a thread that has ended */
    atomic_fetch_sub(&running, 1);
    return NULL;
}

static void *run_on(void *argument)
{
    struct thread *self = argument;
    JNIEnv *env;
    snprintf(self->name, sizeof self->name, "endless-%d", self->number);
    attach(self, 1);
    env = own;
    atomic_fetch_add(&spinning, 1);
    (*env)->CallStaticVoidMethod(env, type, work_on, (*env)->NewStringUTF(env, self->name));
    give_up("an endless thread returned");
    return NULL;
}

static void start(struct thread *thread, int number, void *(*body)(void *))
{
    thread->number = number;
    if (pthread_create(&thread->id, NULL, body, thread) != 0)
        give_up("no thread");
}

static void create_vm(const char *library, char *class_path, int count, char **words)
{
    JavaVMOption *options = calloc((size_t)count + 1, sizeof *options);
    JavaVMInitArgs arguments = {JNI_VERSION_1_8, count + 1, options, JNI_FALSE};
    jint (*create)(JavaVM **, void **, void *);
    void *env, *loaded = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    if (loaded == NULL)
        give_up(dlerror());
    create = (jint(*)(JavaVM **, void **, void *))dlsym(loaded, "JNI_CreateJavaVM");
    options[0].optionString = class_path;
    for (int i = 0; i < count; i++)
        options[i + 1].optionString = words[i];
    if (create == NULL || create(&vm, &env, &arguments) != JNI_OK)
        give_up("no VM");
    own = env;
    free(options);
}

static void find_methods(JNIEnv *env)
{
    jclass found = (*env)->FindClass(env, "NativeThreads");
    if (found == NULL)
        give_up("no class NativeThreads");
    type = (*env)->NewGlobalRef(env, found);
    work = (*env)->GetStaticMethodID(env, type, "work", "(Ljava/lang/String;)Z");
    work_on = (*env)->GetStaticMethodID(env, type, "workOn", "(Ljava/lang/String;)V");
    collect = (*env)->GetStaticMethodID(env, type, "collect", "()V");
    if (work == NULL || work_on == NULL || collect == NULL)
        give_up("no method");
}

/* Signals go to threads that exist: all of them are joined only afterwards. */
static void disturb(struct thread *threads, int count, JNIEnv *env)
{
    for (int i = 0; i < count; i++)
        pthread_kill(threads[i].id, SIGPROF);
    raise(SIGPROF);
    (*env)->CallStaticVoidMethod(env, type, collect);
}

int main(int count, char **words)
{
    static struct thread threads[THREADS], endless[AT_THE_END];
    struct sigaction action = {.sa_handler = compare, .sa_flags = SA_RESTART};
    JNIEnv *env;
    if (count < 3)
        give_up("usage: threads LIBJVM CLASSPATH [OPTION ...]");
    sem_init(&vm_is_there, 0, 0);
    pthread_key_create(&at_exit, end_attached);
    for (int i = 0; i < EARLY; i++)
        start(&threads[i], i, run);
    create_vm(words[1], words[2], count - 3, words + 3);
    env = own;
    find_methods(env);
    sigaction(SIGPROF, &action, NULL);
    for (int i = EARLY; i < THREADS; i++)
        start(&threads[i], i, run);
    atomic_store(&running, THREADS);
    for (int i = 0; i < THREADS; i++)
        sem_post(&vm_is_there);
    while (atomic_load(&running) > 0)
        disturb(threads, THREADS, env);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i].id, NULL);
    for (int i = 0; i < AT_THE_END; i++)
        start(&endless[i], i, run_on);
    while (atomic_load(&spinning) < AT_THE_END)
        sched_yield();
    for (int i = 0; i < ROUNDS; i++)
        disturb(endless, AT_THE_END, env);
    if ((*vm)->DestroyJavaVM(vm) != JNI_OK)
        give_up("the VM cannot be ended");
    printf("%d signals compared\n", atomic_load(&compared));
    return 0;
}
