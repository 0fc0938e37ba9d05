/* Gives memory back to the kernel that the process does not need at the moment: pages of files that were read at the start and may not be
 * read again, and what the C library has free. A page of a file that is needed after all is mapped again, from the kernel's cache.
 * Another call keeps the kernel from reading further pages with it. */
#define _GNU_SOURCE
#include <elf.h>
#include <jni.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Since Linux 5.4; the headers of an older C library lack it. */
#ifndef MADV_COLD
#define MADV_COLD 20
#endif

/* Files that the VM maps once, at its start. */
static const char *const MAPPED[] = {"/classes.jsa", "/lib/modules"};

static uintptr_t page;

/* The read-ahead that these files keep between two drops. Guarded by the lock, as is the advice of each mapping. */
static int reading = MADV_NORMAL;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Advises a mapping as a whole, so that it is not split; drops whole pages only. The kernel takes the drop of a page that was read for an access to
 * it and moves the page to the active list, where it counts as working set. It exempts mappings that are read sequentially, and only from
 * vma_has_recency on those that are read at random too. A page that is active already, as one is that was evicted and read again, stays so when
 * it is dropped: MADV_COLD deactivates it first, unless another process maps it. Errors are ignored: a page that stays does no harm. */
static void advise(uintptr_t begin, uintptr_t end, int advice)
{
    uintptr_t rest = page - 1, first = begin & ~rest, last = (end + rest) & ~rest;
    if (advice != MADV_DONTNEED) {
        (void)madvise((void *)first, last - first, advice);
        return;
    }
    begin = (begin + rest) & ~rest;
    end &= ~rest;
    if (begin >= end || madvise((void *)first, last - first, MADV_SEQUENTIAL) != 0)
        return;
    (void)madvise((void *)begin, end - begin, MADV_COLD);
    (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
    (void)madvise((void *)first, last - first, reading);
}

/* Code with text relocations was written to, and would be lost. */
static int is_written(const struct dl_phdr_info *library)
{
    for (int i = 0; i < library->dlpi_phnum; i++) {
        if (library->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(library->dlpi_addr + library->dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++)
            if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL)))
                return 1;
    }
    return 0;
}

/* The code and constants of a library. The loader does not unmap it meanwhile: it waits for the end of the walk. */
static int advise_library(struct dl_phdr_info *library, size_t size, void *advice)
{
    (void)size;
    /* the program itself has no name, the kernel's own library no path */
    if (library->dlpi_name == NULL || strchr(library->dlpi_name, '/') == NULL || is_written(library))
        return 0;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &library->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && !(segment->p_flags & PF_W)) {
            uintptr_t begin = library->dlpi_addr + segment->p_vaddr;
            advise(begin, begin + segment->p_memsz, *(const int *)advice);
        }
    }
    return 0;
}

static int ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

/* Only what is mapped read-only is dropped: an archive that the VM has relocated, or opened to agents, is not. */
static void advise_files(int advice)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[4352];
    if (maps == NULL)
        return;
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long begin, end;
        char rights[5];
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%lx-%lx %4s", &begin, &end, rights) != 3)
            continue;
        if (advice == MADV_DONTNEED && strcmp(rights, "r--p") != 0 && strcmp(rights, "r--s") != 0)
            continue;
        for (size_t i = 0; i < sizeof MAPPED / sizeof *MAPPED; i++)
            if (ends_with(line, MAPPED[i]))
                advise(begin, end, advice);
    }
    (void)fclose(maps);
}

static void advise_all(int advice)
{
    (void)pthread_mutex_lock(&lock);
    page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (advice != MADV_DONTNEED)
        reading = advice;
    (void)dl_iterate_phdr(advise_library, &advice);
    advise_files(advice);
    (void)pthread_mutex_unlock(&lock);
}

/* Raised with each change of what the library offers, so that a jar finds out about one that it was not made for. */
enum { REVISION = 4 };

JNIEXPORT jint JNICALL Java_io_remora_memory_NativePages_revision(JNIEnv *env, jclass unused)
{
    (void)env;
    (void)unused;
    return REVISION;
}

JNIEXPORT void JNICALL Java_io_remora_memory_NativePages_drop(JNIEnv *env, jclass type)
{
    (void)env;
    (void)type;
    advise_all(MADV_DONTNEED);
}

JNIEXPORT void JNICALL Java_io_remora_memory_NativePages_single(JNIEnv *env, jclass type)
{
    (void)env;
    (void)type;
    advise_all(MADV_RANDOM);
}

JNIEXPORT void JNICALL Java_io_remora_memory_NativePages_trim(JNIEnv *env, jclass type)
{
    (void)env;
    (void)type;
    (void)malloc_trim(0);
}
