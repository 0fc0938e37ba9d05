/* Gives memory back to the kernel that the process does not need at the moment: pages of files that were read at the start and may not be
 * read again, and what the C library has free. A page of a file that is needed after all is mapped again, from the kernel's cache. */
#define _GNU_SOURCE
#include <elf.h>
#include <jni.h>
#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Files that the VM maps once, at its start. */
static const char *const MAPPED[] = {"/classes.jsa", "/lib/modules"};

static uintptr_t page;

/* Whole pages only. The result does not matter: pages that stay are no fault. */
static void drop(uintptr_t begin, uintptr_t end)
{
    begin = (begin + page - 1) & ~(page - 1);
    end &= ~(page - 1);
    if (begin < end)
        (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
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
static int drop_library(struct dl_phdr_info *library, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    /* the program itself has no name, the kernel's own library no path */
    if (library->dlpi_name == NULL || strchr(library->dlpi_name, '/') == NULL || is_written(library))
        return 0;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &library->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && !(segment->p_flags & PF_W)) {
            uintptr_t begin = library->dlpi_addr + segment->p_vaddr;
            drop(begin, begin + segment->p_memsz);
        }
    }
    return 0;
}

static int ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

/* Only what is mapped read-only: an archive that the VM has relocated, or opened to agents, is not. */
static void drop_files(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[4352];
    if (maps == NULL)
        return;
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long begin, end;
        char rights[5];
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%lx-%lx %4s", &begin, &end, rights) != 3 || (strcmp(rights, "r--p") != 0 && strcmp(rights, "r--s") != 0))
            continue;
        for (size_t i = 0; i < sizeof MAPPED / sizeof *MAPPED; i++)
            if (ends_with(line, MAPPED[i]))
                drop(begin, end);
    }
    (void)fclose(maps);
}

/* Raised with each change of what the library offers, so that a jar finds out about one that it was not made for. */
enum { REVISION = 2 };

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
    page = (uintptr_t)sysconf(_SC_PAGESIZE);
    (void)dl_iterate_phdr(drop_library, NULL);
    drop_files();
}

JNIEXPORT void JNICALL Java_io_remora_memory_NativePages_trim(JNIEnv *env, jclass type)
{
    (void)env;
    (void)type;
    (void)malloc_trim(0);
}
