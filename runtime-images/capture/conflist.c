#define _GNU_SOURCE
#include "conflist.h"
#include "cni.h"
#include "json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_SIZE = 256 * 1024 };

static const char ENTRY[] = "{\"type\":\"" CNI_NAME "\",\"capabilities\":{\"" CNI_ANNOTATIONS "\":true}}";

/* No container runtime reads a file with such a name. */
static const char NEW[] = "." CNI_NAME ".new";

/* There is one list at a time. */
static char before[FILE_SIZE];
static char after[FILE_SIZE + sizeof ENTRY + 1];

struct list {
    size_t length;
    struct stat status;
    struct json plugins;
};

static bool read_list(int folder, const char *name, struct list *list, struct problem *why) {
    int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    list->length = 0;
    if (file < 0 || fstat(file, &list->status) < 0) {
        problem(why, "%s cannot be read: %s", name, strerror(errno));
    } else if (!S_ISREG(list->status.st_mode) || list->status.st_size >= FILE_SIZE) {
        problem(why, "%s is no file of less than %d bytes", name, FILE_SIZE);
    } else {
        ssize_t got;
        while (list->length < sizeof before && (got = read(file, before + list->length, sizeof before - list->length)) > 0) {
            list->length += (size_t)got;
        }
        list->plugins = json_member(json_read(before, list->length), "plugins");
        close(file);
        return json_kind(list->plugins) == '[' || problem(why, "%s is no list of CNI plugins", name);
    }
    if (file >= 0) {
        close(file);
    }
    return false;
}

/* Finds our entry, and the one before it. */
static struct json find_entry(struct json plugins, struct json *previous) {
    *previous = (struct json){NULL, NULL};
    struct json element = json_element(plugins, *previous);
    while (element.from != NULL && !json_is(json_member(element, "type"), CNI_NAME)) {
        *previous = element;
        element = json_element(plugins, element);
    }
    return element;
}

/* Writes the list without the bytes between "from" and "to", and with a text there instead. Returns its length. */
static size_t replace(const struct list *list, const char *from, const char *to, const char *text) {
    size_t head = (size_t)(from - before);
    size_t tail = list->length - (size_t)(to - before);
    size_t length = strlen(text);
    memcpy(after, before, head);
    memcpy(after + head, text, length);
    memcpy(after + head + length, to, tail);
    return head + length + tail;
}

static size_t write_entry(const struct list *list) {
    struct json last = {NULL, NULL};
    struct json next = json_element(list->plugins, last);
    while (next.from != NULL) {
        last = next;
        next = json_element(list->plugins, last);
    }
    char text[sizeof ENTRY + 1];
    snprintf(text, sizeof text, "%s%s", last.from == NULL ? "" : ",", ENTRY);
    const char *at = last.from == NULL ? list->plugins.from + 1 : last.end;
    return replace(list, at, at, text);
}

/* Removes the entry with the comma before it, or after it if it is the first. */
static size_t remove_entry(const struct list *list, struct json entry, struct json previous) {
    struct json next = json_element(list->plugins, entry);
    const char *from = previous.from == NULL ? entry.from : previous.end;
    const char *to = previous.from == NULL && next.from != NULL ? next.from : entry.end;
    return replace(list, from, to, "");
}

/* Gives the file "name" its new bytes, unless another program has changed it since it was read. */
static bool exchange(int folder, const char *name, const struct list *list, size_t length, struct problem *why) {
    struct stat now;
    int file = openat(folder, NEW, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool written = file >= 0;
    for (size_t at = 0; written && at < length;) {
        ssize_t put = write(file, after + at, length - at);
        written = put > 0;
        at += written ? (size_t)put : 0;
    }
    bool same_owner = written && (list->status.st_uid == geteuid() || fchown(file, list->status.st_uid, list->status.st_gid) == 0);
    bool done = same_owner && fchmod(file, list->status.st_mode & 0777) == 0 && fsync(file) == 0;
    int failure = errno;
    if (file >= 0) {
        close(file);
    }
    if (done) {
        done = fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_ino == list->status.st_ino &&
               now.st_size == list->status.st_size && now.st_mtim.tv_sec == list->status.st_mtim.tv_sec &&
               now.st_mtim.tv_nsec == list->status.st_mtim.tv_nsec;
        failure = EAGAIN;
    }
    if (done) {
        done = renameat(folder, NEW, folder, name) == 0;
        failure = errno;
    }
    if (!done) {
        unlinkat(folder, NEW, 0);
        return problem(why, "%s cannot be written: %s", name, strerror(failure));
    }
    return true;
}

enum conflist_state conflist_state(int folder, const char *name, struct problem *why) {
    struct list list;
    struct json previous;
    return !read_list(folder, name, &list, why)                   ? NO_LIST
           : find_entry(list.plugins, &previous).from == NULL ? ENTRY_ABSENT
                                                                  : ENTRY_PRESENT;
}

bool conflist_write(int folder, const char *name, bool present, struct problem *why) {
    struct list list;
    struct json previous;
    if (!read_list(folder, name, &list, why)) {
        return false;
    }
    struct json entry = find_entry(list.plugins, &previous);
    if (present == (entry.from != NULL)) {
        return true;
    }
    size_t length = present ? write_entry(&list) : remove_entry(&list, entry, previous);
    return exchange(folder, name, &list, length, why);
}
