#define _GNU_SOURCE
#include "install.h"
#include "cni.h"
#include "conflist.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

/* The list is looked at this often, in case that an event was lost. */
enum { LOOK_MS = 10000 };

/* Bounds: names of a folder that are looked at, and tries to change a list. */
enum { MOST_FILES = 256, NAME_SIZE = 256, MOST_TRIES = 5 };

static const char NEW_PROGRAM[] = "." CNI_NAME ".new";

/* Held by each installer that runs, so that none runs while the plugin is removed. */
static const char LOCK[] = "." CNI_NAME ".lock";

struct place {
    int programs;
    int configurations;
    int lock;
};

static void say(const char *event, const char *consequence, const char *key, const char *value) {
    fprintf(stderr, "capture: %s; %s %s=%s\n", event, consequence, key, value);
}

static bool open_place(const struct folders *folders, struct place *place, struct problem *why) {
    place->lock = -1;
    place->programs = open(folders->programs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (place->programs < 0) {
        place->configurations = -1;
        return problem(why, "--cni-bin %s: %s", folders->programs, strerror(errno));
    }
    place->configurations = open(folders->configurations, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return place->configurations >= 0 || problem(why, "--cni-conf %s: %s", folders->configurations, strerror(errno));
}

static void close_place(struct place *place) {
    const int files[] = {place->programs, place->configurations, place->lock};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (files[i] >= 0) {
            close(files[i]);
        }
    }
}

/* Takes the lock, as flock's "how" says. The one that removes the plugin removes the file as well, and then it is taken again. */
static bool take_lock(struct place *place, int how, struct problem *why) {
    for (;;) {
        struct stat held, named;
        place->lock = openat(place->programs, LOCK, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (place->lock < 0 || flock(place->lock, how) < 0) {
            return errno == EWOULDBLOCK ? problem(why, "an installer runs; delete its DaemonSet first")
                                        : problem(why, "%s: %s", LOCK, strerror(errno));
        }
        if (fstat(place->lock, &held) == 0 && fstatat(place->programs, LOCK, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
            held.st_ino == named.st_ino) {
            return true;
        }
        close(place->lock);
    }
}

/* ---- the program */

static bool copy_program(int from, int to) {
    static char buffer[64 * 1024];
    for (;;) {
        ssize_t got = read(from, buffer, sizeof buffer);
        if (got <= 0) {
            return got == 0;
        }
        for (ssize_t at = 0; at < got;) {
            ssize_t put = write(to, buffer + at, (size_t)(got - at));
            if (put <= 0) {
                return false;
            }
            at += put;
        }
    }
}

/* Copies this program. It is there whole or not at all, as a runtime may start it at any time. */
static bool write_program(const struct place *place, struct problem *why) {
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int to = from < 0 ? -1 : openat(place->programs, NEW_PROGRAM, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0700);
    bool done = to >= 0 && copy_program(from, to) && fchmod(to, 0755) == 0 && fsync(to) == 0;
    int failure = errno;
    if (to >= 0) {
        close(to);
    }
    if (from >= 0) {
        close(from);
    }
    if (done) {
        done = renameat(place->programs, NEW_PROGRAM, place->programs, CNI_NAME) == 0;
        failure = errno;
    }
    return done || problem(why, "%s cannot be written: %s", CNI_NAME, strerror(failure));
}

/* ---- the list */

/* Reads the names of the configurations. Returns how many there are, -1 if they cannot be read. */
static int read_names(const struct place *place, char names[static MOST_FILES][NAME_SIZE]) {
    int again = openat(place->configurations, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = again < 0 ? NULL : fdopendir(again);
    int count = 0;
    if (folder == NULL) {
        return -1;
    }
    for (const struct dirent *one = readdir(folder); one != NULL && count < MOST_FILES; one = readdir(folder)) {
        if (conflist_is_configuration(one->d_name)) {
            snprintf(names[count++], NAME_SIZE, "%s", one->d_name);
        }
    }
    closedir(folder);
    return count;
}

/* Finds the configuration that a container runtime would take without our lists, the first by name. */
static bool find_list(const struct place *place, char into[static NAME_SIZE], struct problem *why) {
    static char names[MOST_FILES][NAME_SIZE];
    int count = read_names(place, names);
    *into = '\0';
    for (int i = 0; i < count; i++) {
        if (!conflist_is_own(names[i]) && (*into == '\0' || strcmp(names[i], into) < 0)) {
            memcpy(into, names[i], NAME_SIZE);
        }
    }
    return *into != '\0' || problem(why, "there is no CNI configuration yet");
}

static bool has_program(const struct place *place) {
    return faccessat(place->programs, CNI_NAME, X_OK, 0) == 0;
}

/* Writes the program again where it is missing. */
static bool mend_program(const struct place *place, struct problem *why) {
    if (has_program(place)) {
        return true;
    }
    bool written = write_program(place, why);
    if (written) {
        say("the program was missing", "wrote it again", "plugin", CNI_NAME);
    }
    return written;
}

/* Removes our lists of configurations that are gone, or no longer the first: a runtime would still take such a list. */
static void remove_own(const struct place *place, const char *kept, struct problem *why) {
    static char names[MOST_FILES][NAME_SIZE];
    int count = read_names(place, names);
    for (int i = 0; i < count; i++) {
        if (!conflist_is_own(names[i]) || conflist_is_own_of(names[i], kept)) {
            continue;
        }
        if (unlinkat(place->configurations, names[i], 0) == 0) {
            say("its configuration is gone, or not the first", "removed the list", "file", names[i]);
        } else if (errno != ENOENT) {
            problem(why, "%s cannot be removed: %s", names[i], strerror(errno));
        }
    }
}

/* Adds the entry where it is missing, once the program is there; a list with an entry whose program is missing starts no pod. */
static void mend_list(const struct place *place, bool wanted, struct problem *why) {
    char name[NAME_SIZE];
    bool found = find_list(place, name, why);
    enum conflist_state state = found ? conflist_state(place->configurations, name, why) : NO_LIST;
    remove_own(place, name, why);
    if (state != NO_LIST && state != (wanted ? ENTRY_PRESENT : ENTRY_ABSENT) && conflist_write(place->configurations, name, wanted, why)) {
        say(wanted ? "the plugin was not in the list" : "the program is missing", wanted ? "added it" : "removed the plugin", "file", name);
    }
}

/* Keeps the program and its entry in place. What stands in the way is logged when it changes. */
static void mend(const struct place *place) {
    static struct problem last;
    struct problem why = {""}, of_list = {""};
    bool has = mend_program(place, &why);
    mend_list(place, has, has ? &why : &of_list);
    if (strcmp(why.text, last.text) != 0 && *why.text != '\0') {
        say(why.text, "trying again", "plugin", CNI_NAME);
    }
    last = why;
}

/* Removes the entry from every list, and then the program. */
static bool remove_all(const struct place *place, struct problem *why) {
    static char names[MOST_FILES][NAME_SIZE];
    int count = read_names(place, names);
    bool done = count >= 0;
    for (int i = 0; i < count; i++) {
        struct problem none;
        if (conflist_is_own(names[i])) {
            done &= unlinkat(place->configurations, names[i], 0) == 0 || errno == ENOENT;
            continue;
        }
        enum conflist_state state = conflist_state(place->configurations, names[i], &none);
        bool present = state == ENTRY_PRESENT || state == ENTRY_OLD;
        /* another program may write the list at the same time */
        for (int tries = 0; present && tries < MOST_TRIES; tries++) {
            present = !conflist_write(place->configurations, names[i], false, &none);
        }
        done &= !present;
    }
    /* a list with an entry whose program is missing starts no pod */
    if (!done) {
        return problem(why, "the plugin is still in a list of CNI plugins; remove it by hand, then %s", CNI_NAME);
    }
    static const char *const files[] = {CNI_NAME, LOCK};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (unlinkat(place->programs, files[i], 0) < 0 && errno != ENOENT) {
            return problem(why, "%s cannot be removed: %s", files[i], strerror(errno));
        }
    }
    return true;
}

/* ---- what is asked for */

/* Reads what has changed; false if that is only what this program writes and renames, as another attempt would change it again. */
static bool has_changed(int changes) {
    static _Alignas(struct inotify_event) char events[4096];
    static const char own[] = "." CNI_NAME ".";
    ssize_t got = read(changes, events, sizeof events);
    bool found = got <= 0;
    for (ssize_t at = 0; at < got;) {
        const struct inotify_event *event = (const void *)(events + at);
        found |= event->len == 0 || strncmp(event->name, own, sizeof own - 1) != 0;
        at += (ssize_t)(sizeof *event + event->len);
    }
    return found;
}

/* Waits for a change in one of the folders, or a signal; true for a signal. */
static bool await_signal(int signals, int changes) {
    struct pollfd both[] = {{.fd = signals, .events = POLLIN}, {.fd = changes, .events = POLLIN}};
    while (poll(both, 2, LOOK_MS) > 0) {
        if ((both[0].revents & POLLIN) != 0) {
            return true;
        }
        if (has_changed(changes)) {
            return false;
        }
    }
    return false;
}

static bool watch(const struct place *place, const struct folders *folders, const sigset_t *ends, struct problem *why) {
    int signals = signalfd(-1, ends, SFD_CLOEXEC);
    int changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (signals < 0 || changes < 0 ||
        inotify_add_watch(changes, folders->configurations, IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE) < 0) {
        return problem(why, "%s cannot be watched: %s", folders->configurations, strerror(errno));
    }
    if (inotify_add_watch(changes, folders->programs, IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB) < 0) {
        return problem(why, "%s cannot be watched: %s", folders->programs, strerror(errno));
    }
    do {
        mend(place);
    } while (!await_signal(signals, changes));
    /* after a restart of the node, pods start before the installer */
    say("the installer ends", "leaving the plugin in place", "plugin", CNI_NAME);
    return true;
}

/* Blocks the signals that end this program, from the start: process 1 of a container would lose one that comes before. */
static void block_ends(sigset_t *ends) {
    sigemptyset(ends);
    sigaddset(ends, SIGTERM);
    sigaddset(ends, SIGINT);
    sigprocmask(SIG_BLOCK, ends, NULL);
}

int await_end(void) {
    sigset_t ends;
    int signal;
    block_ends(&ends);
    return sigwait(&ends, &signal) == 0 ? 0 : EXIT_UNAVAILABLE;
}

int install_plugin(const struct folders *folders) {
    struct place place;
    struct problem why;
    sigset_t ends;
    block_ends(&ends);
    bool done = open_place(folders, &place, &why) && take_lock(&place, LOCK_SH, &why) && write_program(&place, &why);
    if (done) {
        say("the plugin is installed", "watching the lists", "folder", folders->configurations);
        done = watch(&place, folders, &ends, &why);
    }
    close_place(&place);
    if (!done) {
        fprintf(stderr, "capture: %s\n", why.text);
    }
    return done ? 0 : EXIT_UNAVAILABLE;
}

bool uninstall_plugin(const struct folders *folders, struct problem *why) {
    struct place place;
    bool done = open_place(folders, &place, why) && take_lock(&place, LOCK_EX | LOCK_NB, why) && remove_all(&place, why);
    close_place(&place);
    return done;
}

bool is_installed(const struct folders *folders, struct problem *why) {
    struct place place;
    char name[NAME_SIZE];
    bool done = open_place(folders, &place, why) && find_list(&place, name, why);
    if (done) {
        enum conflist_state state = conflist_state(place.configurations, name, why);
        done = state == ENTRY_PRESENT || (state != NO_LIST && problem(why, "%s does not have the plugin", name));
        done = done && (has_program(&place) || problem(why, "%s: %s", CNI_NAME, strerror(errno)));
    }
    close_place(&place);
    return done;
}
