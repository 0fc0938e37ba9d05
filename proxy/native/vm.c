/* Commands to the VM by the table of functions that it has for the JDK's own management: jdk.management calls the same ones, which the
 * runtime images lack. The table is that of JDK 17, and the VM hands it out for its own version only. A log of the VM goes to a file that
 * is in memory alone, so that neither a directory nor a right to write one is needed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <jni.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* JMM_VERSION_3, of JDK 14 to 20, and the places in its table (hotspot/share/include/jmm.h). */
enum { VERSION = 0x20030000, DUMP_HEAP = 29, EXECUTE = 38 };

typedef jint dump_heap(JNIEnv *env, jstring file, jboolean live);
typedef jstring execute_command(JNIEnv *env, jstring command);

static void *function(int place)
{
    void *vm = dlopen("libjvm.so", RTLD_LAZY | RTLD_NOLOAD);
    void *(*management)(jint) = NULL;
    void **table = NULL;
    if (vm != NULL) {
        *(void **)&management = dlsym(vm, "JVM_GetManagement");
        table = management == NULL ? NULL : management(VERSION);
        (void)dlclose(vm);
    }
    return table == NULL ? NULL : table[place];
}

static void fail(JNIEnv *env, const char *why)
{
    jclass type = (*env)->FindClass(env, "java/io/IOException");
    if (type != NULL)
        (void)(*env)->ThrowNew(env, type, why);
}

JNIEXPORT jboolean JNICALL Java_io_remora_process_VmCommands_isThere(JNIEnv *env, jclass unused)
{
    (void)env;
    (void)unused;
    return function(EXECUTE) != NULL;
}

JNIEXPORT jstring JNICALL Java_io_remora_process_VmCommands_run(JNIEnv *env, jclass unused, jstring command)
{
    execute_command *execute = NULL;
    (void)unused;
    *(void **)&execute = function(EXECUTE);
    return execute == NULL ? NULL : execute(env, command);
}

/* Below 0 where the VM was built without dumps. */
JNIEXPORT jint JNICALL Java_io_remora_process_VmCommands_dump(JNIEnv *env, jclass unused, jstring file)
{
    dump_heap *dump = NULL;
    (void)unused;
    *(void **)&dump = function(DUMP_HEAP);
    return dump == NULL ? -1 : dump(env, file, JNI_TRUE);
}

JNIEXPORT jint JNICALL Java_io_remora_process_VmLog_open(JNIEnv *env, jclass unused)
{
    int file = memfd_create("remora-vm-log", MFD_CLOEXEC);
    (void)unused;
    if (file < 0)
        fail(env, strerror(errno));
    return file;
}

/* Frees the memory of what was read; the length stays, as the VM appends. */
JNIEXPORT void JNICALL Java_io_remora_process_VmLog_discard(JNIEnv *env, jclass unused, jint file, jlong length)
{
    (void)unused;
    if (fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, length) != 0)
        fail(env, strerror(errno));
}

JNIEXPORT void JNICALL Java_io_remora_process_VmLog_close(JNIEnv *env, jclass unused, jint file)
{
    (void)env;
    (void)unused;
    (void)close(file);
}
