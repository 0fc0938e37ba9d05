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

enum { FILE_SIZE = 256 * 1024, NAME_SIZE = 256 };

static const char ENTRY[] = "{\"type\":\"" CNI_NAME "\",\"capabilities\":{\"" CNI_ANNOTATIONS "\":true}}";

/* No container runtime reads a file with such a name. */
static const char NEW[] = "." CNI_NAME ".new";

/*
 * Ends the name of a list of our own. In place of ".conf" it sorts before the configuration, and no name of another program comes between them
 * without being the first one itself.
 */
static const char OWN_END[] = "-" CNI_NAME ".conflist";

/* There is one list at a time; that of our own has a name and a version as well as the plugin. */
static char before[FILE_SIZE];
static char after[3 * FILE_SIZE];
static char own[sizeof after];

struct list {
    size_t length;
    struct stat status;
    struct json all;
    struct json plugins; /* not there in a configuration of a single plugin */
};

static bool read_file(int folder, const char *name, struct list *list, struct problem *why) {
    int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    list->length = 0;
    bool done = false;
    if (file < 0 || fstat(file, &list->status) < 0) {
        problem(why, "%s cannot be read: %s", name, strerror(errno));
    } else if (!S_ISREG(list->status.st_mode) || list->status.st_size >= FILE_SIZE) {
        problem(why, "%s is no file of less than %d bytes", name, FILE_SIZE);
    } else {
        ssize_t got;
        while (list->length < sizeof before && (got = read(file, before + list->length, sizeof before - list->length)) > 0) {
            list->length += (size_t)got;
        }
        done = true;
    }
    if (file >= 0) {
        close(file);
    }
    return done;
}

static bool ends_with(const char *name, const char *end) {
    size_t length = strlen(name);
    return length > strlen(end) && strcmp(name + length - strlen(end), end) == 0;
}

/* Checks a configuration of a single plugin. The runtime reads it by the end of its name. */
static bool check_single(const char *name, struct json all, struct problem *why) {
    char version[16];
    if (ends_with(name, ".conflist") || json_kind(json_member(all, "type")) != '"' || json_kind(json_member(all, "name")) != '"') {
        return problem(why, "%s is no list of CNI plugins", name);
    }
    return (json_text(json_member(all, "cniVersion"), version, sizeof version) && cni_supports(version)) ||
           problem(why, "%s needs a supported cniVersion: 0.3.1, 0.4.0, 1.0.0 or 1.1.0", name);
}

static bool read_list(int folder, const char *name, struct list *list, struct problem *why) {
    if (!read_file(folder, name, list, why)) {
        return false;
    }
    list->all = json_read(before, list->length);
    list->plugins = json_member(list->all, "plugins");
    return json_kind(list->plugins) == '[' || (list->plugins = (struct json){NULL, NULL}, check_single(name, list->all, why));
}

static bool is_single(const struct list *list) {
    return list->plugins.from == NULL;
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

bool conflist_is_configuration(const char *name) {
    return *name != '.' && (ends_with(name, ".conflist") || ends_with(name, ".conf") || ends_with(name, ".json"));
}

/* ---- a list of our own */

bool conflist_is_own(const char *name) {
    return ends_with(name, OWN_END);
}

/* Writes the name of the list for a configuration, whose name ends with a dot and four letters. */
static bool own_name(const char *configuration, char into[static NAME_SIZE]) {
    size_t stem = (size_t)(strrchr(configuration, '.') - configuration);
    return snprintf(into, NAME_SIZE, "%.*s%s", (int)stem, configuration, OWN_END) < NAME_SIZE;
}

bool conflist_is_own_of(const char *name, const char *configuration) {
    char wanted[NAME_SIZE];
    return conflist_is_configuration(configuration) && !ends_with(configuration, ".conflist") && own_name(configuration, wanted) && strcmp(name, wanted) == 0;
}

static size_t append(size_t at, const char *text, size_t length) {
    memcpy(after + at, text, length);
    return at + length;
}

/* Writes the list that has the plugin of a configuration, and ours. Returns its length. */
static size_t write_own(const struct list *list) {
    static const char *const copied[] = {"cniVersion", "name"};
    size_t at = append(0, "{", 1);
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
        struct json value = json_member(list->all, copied[i]);
        char key[32];
        at = append(at, key, (size_t)snprintf(key, sizeof key, "\"%s\":", copied[i]));
        at = append(at, value.from, (size_t)(value.end - value.from));
        at = append(at, ",", 1);
    }
    static const char plugins[] = "\"plugins\":[";
    at = append(at, plugins, sizeof plugins - 1);
    at = append(at, list->all.from, (size_t)(list->all.end - list->all.from));
    at = append(at, ",", 1);
    at = append(at, ENTRY, sizeof ENTRY - 1);
    return append(at, "]}\n", 3);
}

/* Tells if the list of our own is what it would be if it was written now. */
static enum conflist_state own_state(int folder, const char *name, size_t length) {
    int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) {
        return errno == ENOENT ? ENTRY_ABSENT : ENTRY_OLD;
    }
    size_t have = 0;
    ssize_t got;
    while (have < sizeof own && (got = read(file, own + have, sizeof own - have)) > 0) {
        have += (size_t)got;
    }
    close(file);
    return have == length && memcmp(own, after, length) == 0 ? ENTRY_PRESENT : ENTRY_OLD;
}

/* ---- files */

/* Gives the file "name" its new bytes, unless another program has changed what was read from the file "source" since then. */
static bool exchange(int folder, const char *source, const char *name, const struct list *list, size_t length, struct problem *why) {
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
        done = fstatat(folder, source, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_ino == list->status.st_ino &&
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
    char own_list[NAME_SIZE];
    if (!read_list(folder, name, &list, why)) {
        return NO_LIST;
    }
    if (!is_single(&list)) {
        return find_entry(list.plugins, &previous).from == NULL ? ENTRY_ABSENT : ENTRY_PRESENT;
    }
    if (!own_name(name, own_list)) {
        problem(why, "the name of %.60s is too long", name);
        return NO_LIST;
    }
    return own_state(folder, own_list, write_own(&list));
}

/* Puts a list of our own before a configuration of a single plugin, or removes it. */
static bool write_before(int folder, const char *name, bool present, const struct list *list, struct problem *why) {
    char own_list[NAME_SIZE];
    if (!own_name(name, own_list)) {
        return problem(why, "the name of %.60s is too long", name);
    }
    if (!present) {
        return unlinkat(folder, own_list, 0) == 0 || errno == ENOENT || problem(why, "%s cannot be removed: %s", own_list, strerror(errno));
    }
    size_t length = write_own(list);
    return own_state(folder, own_list, length) == ENTRY_PRESENT || exchange(folder, name, own_list, list, length, why);
}

bool conflist_write(int folder, const char *name, bool present, struct problem *why) {
    struct list list;
    struct json previous;
    if (!read_list(folder, name, &list, why)) {
        return false;
    }
    if (is_single(&list)) {
        return write_before(folder, name, present, &list, why);
    }
    struct json entry = find_entry(list.plugins, &previous);
    if (present == (entry.from != NULL)) {
        return true;
    }
    size_t length = present ? write_entry(&list) : remove_entry(&list, entry, previous);
    return exchange(folder, name, name, &list, length, why);
}
