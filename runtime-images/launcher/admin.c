#define _GNU_SOURCE
#include "admin.h"
#include "chunks.h"
#include "frames.h"
#include "selection.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const char DEFAULT_ADMIN[] = "127.0.0.1:9990";
static const char UNIX_PREFIX[] = "unix:";

static const char USAGE[] =
    "usage: remora ready                                    exit 0 if every listener accepts\n"
    "       remora live                                     exit 0 if no event loop is stuck\n"
    "       remora get PAGE                                 print an admin page, such as /config\n"
    "       remora wait [--timeout 60s]                     wait until the sidecar is ready\n"
    "       remora drain [--inbound [--delay 5s]] [--wait 20s]\n"
    "                                                       start a drain, and wait for its end\n"
    "       remora profile [--cpu 30s | --wall 30s | --alloc 30s | --lock 30s | --kernel 30s]\n"
    "                      [--slow 10s] [--hz N] [--bytes N] [--format F] [--out FILE] [ADDRESS]\n"
    "                                                       print a profile: collapsed, html, svg, pprof, jfr or top\n"
    "       remora heap histogram|dump                       count the objects in the heap, or dump them to a file there\n"
    "       remora compiler-events [10s]                     print what the JIT compilers do in this time\n"
    "       remora long-turns [10s] [--above 50ms]           print what holds the event loops for so long\n"
    "       remora native-memory [baseline|diff]             print the JVM's memory by purpose, or what has grown\n"
    "       remora recording                                 print the state of the flight recorder\n"
    "       remora recording start [--settings S] [--duration 60s] [--slow 100ms]\n"
    "       remora recording stop|discard|dump               end or delete the recording, or print it as a JFR file\n"
    "       remora recording stream [--events NAME,...] [--duration 60s]\n"
    "                                                       print its events as they come, as lines of JSON\n"
    "                                                       --out FILE takes what these print\n"
    "       remora shutdown                                 drain, then end the process\n"
    "options of all: --admin IP:PORT or unix:/PATH, else REMORA_ADMIN, else 127.0.0.1:9990; --timeout for a response, 5s\n"
    "exit status: 0 success, 1 different status or timeout, 64 invalid command line, 69 no valid response in time\n";

enum { NS_PER_MS = 1000000, MS_PER_S = 1000 };

/* Time for one response, without --timeout; what a request may take on top of the time that it asks the sidecar to wait. */
enum { RESPONSE_MS = 5000 };

/* Interval between looks at a sidecar that is not ready yet. */
enum { LOOK_MS = 20 };

/* A head of the sidecar has a few hundred bytes. */
enum { HEAD_SIZE = 4096, REQUEST_SIZE = 1024 };

/* Time in which a profile that has been taken is written. */
enum { PROFILE_SENT_MS = 60 * MS_PER_S };

enum { LONGEST_PROFILE_MS = 300 * MS_PER_S };

/* Time for a page that looks inside the process, on top of the time that the page watches. */
enum { LOOK_INSIDE_MS = 300 * MS_PER_S };

enum { LONGEST_MS = 24 * 3600 * MS_PER_S };

/* Letters of a list of events, and the most bytes of it in a request. */
static const char EVENT_LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._,";
enum { LONGEST_EVENTS = 400 };

/* What the sidecar holds a drain request for at most. */
enum { LONGEST_HELD_MS = 60 * MS_PER_S };

/* A wait for readiness without --timeout. */
enum { READY_MS = 60 * MS_PER_S };

/* Status of a response that did not come whole; errno or the text says why. */
enum { NO_RESPONSE = 0 };

/* A page that looks inside the process. */
struct insight {
    const char *word;
    const char *what; /* NULL for the word alone */
    const char *method;
    const char *path;
    bool prints; /* more than a line, which may go to a file */
};

static const struct insight INSIGHTS[] = {
    {"heap", "histogram", "POST", "/heap-histogram", true},
    {"heap", "dump", "POST", "/heap-dump", false},
    {"compiler-events", NULL, "POST", "/compiler-events", true},
    {"long-turns", NULL, "POST", "/long-turns", true},
    {"native-memory", NULL, "POST", "/native-memory", true},
    {"native-memory", "baseline", "POST", "/native-memory?action=baseline", true},
    {"native-memory", "diff", "POST", "/native-memory?action=diff", true},
    {"recording", NULL, "GET", "/recording", false},
    {"recording", "start", "POST", "/recording/start", false},
    {"recording", "stop", "POST", "/recording/stop", false},
    {"recording", "discard", "POST", "/recording/discard", false},
    {"recording", "dump", "POST", "/recording/dump", true},
    {"recording", "stream", "POST", "/recording/stream", true},
};

struct options {
    const char *word;
    const struct insight *insight; /* NULL for other commands */
    const char *what;              /* the word behind that of an insight */
    const char *duration;          /* of a page that watches and of "recording start" and "stream", as given */
    const char *events;            /* of "recording stream" */
    const char *settings;
    const char *slow;
    const char *page;  /* of "get"; NULL for the other commands */
    const char *kind;  /* of "profile": cpu, wall, alloc, lock or kernel */
    const char *hz;    /* of "profile", as given; NULL without, like bytes */
    const char *bytes;
    const char *above; /* of "long-turns" */
    char slowest[4];   /* seconds of "profile", empty without */
    const char *format;
    const char *out; /* a file; NULL for standard output */
    int64_t profile_ms;
    const char *admin; /* HOST:PORT or unix:PATH */
    const char *delay; /* of "drain", as given; NULL without, like wait */
    const char *wait;
    int64_t wait_ms; /* for which the sidecar may hold its response */
    int64_t timeout_ms;
    bool inbound;
};

struct peer {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_un file;
    } address;
    socklen_t length;
};

/* An exchange with the sidecar. The response's body is printed as it comes, or dropped. */
struct call {
    const struct peer *peer;
    const char *method;
    const char *target;
    int64_t end_ms; /* by the monotonic clock */
    FILE *out;      /* NULL drops the body */
    FILE *problems; /* for the body of any other status than 200; NULL for the same */
    bool chunks;    /* asks for a body whose end shows, if its length is not known before */
    struct frames *frames; /* of a profile; NULL for any other body */
    const char *why; /* without a response */
};

/* True for a word whose page looks inside the process. */
static bool looks_inside(const char *word) {
    for (size_t i = 0; i < sizeof INSIGHTS / sizeof *INSIGHTS; i++) {
        if (strcmp(word, INSIGHTS[i].word) == 0) {
            return true;
        }
    }
    return false;
}

bool is_admin_command(const char *word) {
    static const char *const words[] = {"drain", "get", "live", "profile", "ready", "shutdown", "wait"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i]) == 0) {
            return true;
        }
    }
    return looks_inside(word);
}

/* True for a word whose page watches for a time. */
static bool watches(const char *word) {
    return strcmp(word, "compiler-events") == 0 || strcmp(word, "long-turns") == 0;
}

/* ---- the command line */

/* Reads a duration such as 250ms, 10s, 5m or 1h, as the configuration has them. */
static int64_t read_duration(const char *option, const char *text) {
    static const struct {
        const char *unit;
        int64_t ms;
    } units[] = {{"ms", 1}, {"s", MS_PER_S}, {"m", 60 * MS_PER_S}, {"h", 3600 * MS_PER_S}};
    size_t digits = strspn(text, "0123456789");
    int64_t count = digits == 0 || digits > 8 ? -1 : strtoll(text, NULL, 10);
    for (size_t i = 0; count >= 0 && i < sizeof units / sizeof *units; i++) {
        if (strcmp(text + digits, units[i].unit) == 0 && count <= LONGEST_MS / units[i].ms) {
            return count * units[i].ms;
        }
    }
    refuse(EXIT_USAGE, "%s is '%s', expected a duration of at most 24h, such as 250ms, 10s, 5m or 1h", option, text);
}

/* Reads a time for which the sidecar holds its response, and keeps the longer of the two. */
static void read_held(const char *option, const char *text, int64_t *longest_ms) {
    int64_t held_ms = read_duration(option, text);
    if (held_ms > LONGEST_HELD_MS) {
        refuse(EXIT_USAGE, "%s is '%s', expected at most 60s", option, text);
    }
    *longest_ms = held_ms > *longest_ms ? held_ms : *longest_ms;
}

static bool is_page(const char *text) {
    for (const char *at = text; *at != '\0'; at++) {
        if (!isgraph((unsigned char)*at)) {
            return false;
        }
    }
    return *text == '/' && strlen(text) < REQUEST_SIZE / 2;
}

/* Reads one of --cpu, --wall, --alloc, --lock and --kernel. */
static void read_profile_kind(struct options *options, const char *option, const char *value) {
    if (options->kind != NULL) {
        refuse(EXIT_USAGE, "%s: a profile has one kind, which is %s already", option, options->kind);
    }
    options->kind = option + strlen("--");
    options->profile_ms = read_duration(option, value);
    if (options->profile_ms < MS_PER_S || options->profile_ms > LONGEST_PROFILE_MS || options->profile_ms % MS_PER_S != 0) {
        refuse(EXIT_USAGE, "%s is '%s', expected whole seconds from 1s to 300s", option, value);
    }
}

/* Reads a number that the sidecar judges. */
static const char *read_digits(const char *option, const char *value, size_t longest, const char *expected) {
    if (strspn(value, "0123456789") != strlen(value) || strlen(value) == 0 || strlen(value) > longest) {
        refuse(EXIT_USAGE, "%s is '%s', expected %s", option, value, expected);
    }
    return value;
}

/* Reads the value of an option of "profile"; false for an option that it does not have. */
static bool read_profile_option(struct options *options, const char *option, const char *value) {
    static const char *const kinds[] = {"--cpu", "--wall", "--alloc", "--lock", "--kernel"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(option, kinds[i]) == 0) {
            read_profile_kind(options, option, value);
            return true;
        }
    }
    if (strcmp(option, "--hz") == 0) {
        options->hz = read_digits(option, value, 4, "samples per second from 1 to 1000");
    } else if (strcmp(option, "--bytes") == 0) {
        options->bytes = read_digits(option, value, 8, "bytes from 1024 to 67108864");
    } else if (strcmp(option, "--slow") == 0) {
        int64_t slow_ms = read_duration(option, value);
        if (slow_ms < MS_PER_S || slow_ms >= LONGEST_PROFILE_MS || slow_ms % MS_PER_S != 0) {
            refuse(EXIT_USAGE, "%s is '%s', expected whole seconds from 1s to 299s", option, value);
        }
        snprintf(options->slowest, sizeof options->slowest, "%d", (int)(slow_ms / MS_PER_S));
    } else if (strcmp(option, "--format") == 0) {
        if (strspn(value, "abcdefghijklmnopqrstuvwxyz") != strlen(value) || strlen(value) > 16) {
            refuse(EXIT_USAGE, "--format is '%s', expected collapsed, html, svg, pprof, jfr or top", value);
        }
        options->format = value;
    } else if (strcmp(option, "--out") == 0) {
        options->out = value;
    } else {
        return false;
    }
    return true;
}

/* Reads the value of an option of a page that looks inside; false for an option that it does not have. */
static bool read_insight_option(struct options *options, const char *option, const char *value) {
    bool starts = options->what != NULL && strcmp(options->what, "start") == 0;
    bool streams = options->what != NULL && strcmp(options->what, "stream") == 0;
    if (strcmp(option, "--out") == 0) {
        options->out = value;
    } else if (strcmp(options->word, "long-turns") == 0 && strcmp(option, "--above") == 0) {
        read_duration(option, value);
        options->above = value;
    } else if (starts && strcmp(option, "--settings") == 0) {
        if (strspn(value, "abcdefghijklmnopqrstuvwxyz") != strlen(value) || strlen(value) > 16) {
            refuse(EXIT_USAGE, "--settings is '%s', expected remora, default or profile", value);
        }
        options->settings = value;
    } else if (starts && strcmp(option, "--duration") == 0) {
        read_duration(option, value);
        options->duration = value;
    } else if (streams && strcmp(option, "--duration") == 0) {
        options->wait_ms = read_duration(option, value);
        options->duration = value;
    } else if (streams && strcmp(option, "--events") == 0) {
        if (strspn(value, EVENT_LETTERS) != strlen(value) || strlen(value) > LONGEST_EVENTS) {
            refuse(EXIT_USAGE, "--events is '%s', expected names such as io.remora.Exchange,jdk.GCPhasePause", value);
        }
        options->events = value;
    } else if (starts && strcmp(option, "--slow") == 0) {
        read_duration(option, value);
        options->slow = value;
    } else {
        return false;
    }
    return true;
}

/* Finds the page of a command that looks inside the process; other commands have none. */
static void find_insight(struct options *options) {
    bool known = looks_inside(options->word);
    if (watches(options->word) && options->what != NULL) {
        options->duration = options->what;
        options->what = NULL;
        options->wait_ms = read_duration(options->word, options->duration);
    }
    for (size_t i = 0; i < sizeof INSIGHTS / sizeof *INSIGHTS; i++) {
        const struct insight *one = &INSIGHTS[i];
        if (strcmp(options->word, one->word) == 0) {
            bool same = options->what == NULL || one->what == NULL ? options->what == one->what
                                                                  : strcmp(options->what, one->what) == 0;
            options->insight = same ? one : options->insight;
        }
    }
    if (known && options->insight == NULL && options->what == NULL) {
        refuse(EXIT_USAGE, "%s needs a further word; remora %s --help lists them", options->word, options->word);
    }
    if (known && options->insight == NULL) {
        refuse(EXIT_USAGE, "%s: unknown argument of %s; remora %s --help lists them", options->what, options->word,
               options->word);
    }
    if (known && options->out != NULL && !options->insight->prints) {
        refuse(EXIT_USAGE, "--out is of no use here, %s prints one line", options->word);
    }
}

/* The format that a file's name ends with. */
static const char *format_of(const char *file) {
    static const char *const endings[][2] = {
        {".html", "html"}, {".svg", "svg"}, {".pb.gz", "pprof"}, {".jfr", "jfr"}, {".top", "top"}};
    size_t length = file == NULL ? 0 : strlen(file);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t end = strlen(endings[i][0]);
        if (length > end && strcmp(file + length - end, endings[i][0]) == 0) {
            return endings[i][1];
        }
    }
    return "collapsed";
}

static struct options read_options(int count, char **arguments) {
    const char *configured = getenv("REMORA_ADMIN");
    struct options options = {.word = arguments[0], .profile_ms = 30 * MS_PER_S};
    options.timeout_ms = strcmp(options.word, "wait") == 0 ? READY_MS : RESPONSE_MS;
    options.admin = configured == NULL || *configured == '\0' ? DEFAULT_ADMIN : configured;
    bool drains = strcmp(options.word, "drain") == 0;
    bool gets = strcmp(options.word, "get") == 0;
    bool profiles = strcmp(options.word, "profile") == 0;
    bool looks = looks_inside(options.word);
    bool addressed = false;
    for (int i = 1; i < count; i++) {
        const char *given = arguments[i];
        bool is_admin = strcmp(given, "--admin") == 0;
        bool is_timeout = strcmp(given, "--timeout") == 0;
        bool is_wait = drains && strcmp(given, "--wait") == 0;
        bool is_delay = drains && strcmp(given, "--delay") == 0;
        if (drains && strcmp(given, "--inbound") == 0) {
            options.inbound = true;
        } else if (gets && options.page == NULL && *given != '-') {
            options.page = given;
        } else if (profiles && !addressed && *given != '-') {
            options.admin = given;
            addressed = true;
        } else if (profiles && i + 1 < count && read_profile_option(&options, given, arguments[i + 1])) {
            i++;
        } else if (looks && options.what == NULL && *given != '-') {
            options.what = given;
        } else if (looks && i + 1 < count && read_insight_option(&options, given, arguments[i + 1])) {
            i++;
        } else if (!is_admin && !is_timeout && !is_wait && !is_delay) {
            refuse(EXIT_USAGE, "%s: unknown argument of %s; remora %s --help lists them", given, options.word, options.word);
        } else if (++i == count) {
            refuse(EXIT_USAGE, "%s needs a value", given);
        } else if (is_admin) {
            options.admin = arguments[i];
        } else if (is_wait) {
            options.wait = arguments[i];
            read_held(given, options.wait, &options.wait_ms);
        } else if (is_delay) {
            options.delay = arguments[i];
            read_held(given, options.delay, &options.wait_ms);
        } else {
            options.timeout_ms = read_duration(given, arguments[i]);
        }
    }
    find_insight(&options);
    if (options.format == NULL) {
        options.format = format_of(options.out);
    }
    if (gets && (options.page == NULL || !is_page(options.page))) {
        refuse(EXIT_USAGE, "get needs a page such as /config");
    }
    return options;
}

/* Reads HOST:PORT with a literal address or localhost, [IPV6]:PORT, or unix:PATH. No name is looked up. */
static struct peer read_peer(const char *text) {
    struct peer peer = {0};
    if (strncmp(text, UNIX_PREFIX, strlen(UNIX_PREFIX)) == 0) {
        const char *path = text + strlen(UNIX_PREFIX);
        if (*path != '/' || strlen(path) >= sizeof peer.address.file.sun_path) {
            refuse(EXIT_USAGE, "admin is '%s', expected unix:/PATH of at most %zu bytes", text,
                   sizeof peer.address.file.sun_path - 1);
        }
        peer.address.file.sun_family = AF_UNIX;
        strcpy(peer.address.file.sun_path, path);
        peer.length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path) + 1);
        return peer;
    }
    char host[INET6_ADDRSTRLEN];
    const char *colon = strrchr(text, ':');
    bool bracketed = colon != NULL && *text == '[' && colon > text + 1 && colon[-1] == ']';
    const char *from = bracketed ? text + 1 : text;
    size_t length = colon == NULL ? 0 : (size_t)(colon - from) - (bracketed ? 1 : 0);
    const char *port = colon == NULL ? "" : colon + 1;
    size_t digits = strspn(port, "0123456789");
    long number = digits == 0 || digits > 5 || port[digits] != '\0' ? 0 : strtol(port, NULL, 10);
    bool known = false;
    if (number > 0 && number <= UINT16_MAX && length > 0 && length < sizeof host) {
        memcpy(host, from, length);
        host[length] = '\0';
        const char *numeric = strcmp(host, "localhost") == 0 ? "127.0.0.1" : host;
        if (bracketed) {
            peer.address.v6.sin6_family = AF_INET6;
            peer.address.v6.sin6_port = htons((uint16_t)number);
            peer.length = sizeof peer.address.v6;
            known = inet_pton(AF_INET6, host, &peer.address.v6.sin6_addr) == 1;
        } else {
            peer.address.v4.sin_family = AF_INET;
            peer.address.v4.sin_port = htons((uint16_t)number);
            peer.length = sizeof peer.address.v4;
            known = inet_pton(AF_INET, numeric, &peer.address.v4.sin_addr) == 1;
        }
    }
    if (!known) {
        refuse(EXIT_USAGE, "admin is '%s', expected an address such as %s, [::1]:9990 or unix:/run/remora/admin.sock", text,
               DEFAULT_ADMIN);
    }
    return peer;
}

/* ---- one exchange */

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * MS_PER_S + now.tv_nsec / NS_PER_MS;
}

/* Waits until the socket can be read or written; false, with a reason, once the time is over. */
static bool await(int socket, short events, struct call *call) {
    struct pollfd one = {.fd = socket, .events = events};
    for (;;) {
        int64_t left = call->end_ms - now_ms();
        int ready = left <= 0 ? 0 : poll(&one, 1, (int)left);
        if (ready > 0) {
            return true;
        }
        if (ready == 0 || errno != EINTR) {
            call->why = ready == 0 ? "timed out" : strerror(errno);
            return false;
        }
    }
}

/* Returns a connected socket, -1 without. */
static int dial(struct call *call) {
    int family = call->peer->address.any.sa_family;
    int connection = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (connection < 0) {
        call->why = strerror(errno);
        return -1;
    }
    int failure;
    while ((failure = connect(connection, &call->peer->address.any, call->peer->length) == 0 ? 0 : errno) == EAGAIN) {
        /* a Unix socket with a full queue, for which no event tells when there is room */
        if (now_ms() + LOOK_MS >= call->end_ms) {
            break;
        }
        nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * NS_PER_MS}, NULL);
    }
    if (failure == EINPROGRESS && await(connection, POLLOUT, call)) {
        socklen_t size = sizeof failure;
        getsockopt(connection, SOL_SOCKET, SO_ERROR, &failure, &size);
    }
    if (failure != 0) {
        call->why = failure == EINPROGRESS ? call->why : strerror(failure);
        close(connection);
        return -1;
    }
    return connection;
}

static bool send_request(int connection, struct call *call) {
    char request[REQUEST_SIZE];
    int length = snprintf(request, sizeof request, "%s %s HTTP/1.%d\r\nHost: localhost\r\n%s%s\r\n", call->method, call->target,
                          call->chunks ? 1 : 0, strcmp(call->method, "POST") == 0 ? "Content-Length: 0\r\n" : "",
                          call->chunks ? "Connection: close\r\n" : "");
    for (int sent = 0; sent < length;) {
        ssize_t taken = await(connection, POLLOUT, call)
                                ? send(connection, request + sent, (size_t)(length - sent), MSG_NOSIGNAL)
                                : -2;
        if (taken == -2) {
            return false;
        }
        if (taken < 0 && errno != EINTR && errno != EAGAIN) {
            call->why = strerror(errno);
            return false;
        }
        sent += taken > 0 ? (int)taken : 0;
    }
    return true;
}

/* Reads what is there; 0 at the end, -1 with a reason where the connection broke or the time is over. */
static ssize_t receive(int connection, char *into, size_t room, struct call *call) {
    for (;;) {
        if (!await(connection, POLLIN, call)) {
            return -1;
        }
        ssize_t got = recv(connection, into, room, 0);
        if (got >= 0) {
            return got;
        }
        if (errno != EINTR && errno != EAGAIN) {
            call->why = strerror(errno);
            return -1;
        }
    }
}

/* The body's length by the head, -1 where the end of the connection ends it, -2 where it is malformed or there are several. Spec: RFC 9112 6.3. */
static int64_t body_length(const char *head) {
    static const char name[] = "content-length:";
    int64_t length = -1;
    for (const char *line = head; (line = strstr(line, "\r\n")) != NULL;) {
        line += 2;
        if (strncasecmp(line, name, sizeof name - 1) == 0) {
            const char *value = line + sizeof name - 1;
            value += strspn(value, " \t");
            size_t digits = strspn(value, "0123456789");
            bool ends = strncmp(value + digits + strspn(value + digits, " \t"), "\r\n", 2) == 0;
            if (length >= 0 || digits == 0 || digits > 15 || !ends) {
                return -2;
            }
            length = strtoll(value, NULL, 10);
        }
    }
    return length;
}

/* Returns whether the body is in chunks, which the sidecar spells in one way. */
static bool is_chunked(const char *head) {
    return strcasestr(head, "\r\nTransfer-Encoding: chunked\r\n") != NULL;
}

/* Returns the status of a head, NO_RESPONSE for one that is none. */
static int read_status(const char *head) {
    const char *status = head + strlen("HTTP/1.x ");
    bool is_http = strncmp(head, "HTTP/1.", 7) == 0 && isdigit((unsigned char)head[7]) && head[8] == ' ';
    bool is_number = is_http && strspn(status, "0123456789") == 3 && (status[3] == ' ' || status[3] == '\r');
    return is_number ? atoi(status) : NO_RESPONSE;
}

static void print_body(struct call *call, struct chunks *chunks, const char *text, size_t length) {
    if (chunks->out != NULL) {
        take_chunks(chunks, text, length);
        /* a reader watches it live */
        fflush(chunks->out);
    } else if (call->frames != NULL) {
        take_frames(call->frames, text, length);
    } else if (call->out != NULL) {
        fwrite(text, 1, length, call->out);
    }
}

/* Reads a response, and prints its body. Returns its status, or NO_RESPONSE with a reason. */
static int read_response(int connection, struct call *call) {
    char head[HEAD_SIZE + 1] = {0};
    size_t length = 0;
    char *end = NULL;
    while (end == NULL) {
        ssize_t got = length == HEAD_SIZE ? 0 : receive(connection, head + length, HEAD_SIZE - length, call);
        if (got < 0) {
            return NO_RESPONSE;
        }
        if (got == 0) {
            call->why = length == HEAD_SIZE ? "the response's head is too long" : "no HTTP response";
            return NO_RESPONSE;
        }
        length += (size_t)got;
        end = memmem(head, length, "\r\n\r\n", 4);
    }
    size_t held = length - (size_t)(end + 4 - head);
    char first = end[4];
    end[4] = '\0';
    int status = strlen(head) == (size_t)(end + 4 - head) ? read_status(head) : NO_RESPONSE;
    int64_t expected = body_length(head);
    bool chunked = call->chunks && is_chunked(head);
    end[4] = first;
    if (status == NO_RESPONSE || expected < -1 || (chunked && expected >= 0)) {
        call->why = "no HTTP response";
        return NO_RESPONSE;
    }
    if (status != 200) {
        call->frames = NULL;
        call->out = call->problems == NULL ? call->out : call->problems;
    }
    struct chunks chunks = {.out = chunked ? call->out : NULL};
    if (expected >= 0 && (int64_t)held > expected) {
        call->why = "more than the response's length";
        return NO_RESPONSE;
    }
    int64_t taken = (int64_t)held;
    print_body(call, &chunks, end + 4, held);
    while ((expected < 0 || taken < expected) && !chunks.ended && !chunks.broken) {
        int64_t left = expected < 0 ? HEAD_SIZE : expected - taken;
        ssize_t got = receive(connection, head, left < HEAD_SIZE ? (size_t)left : HEAD_SIZE, call);
        if (got < 0) {
            return NO_RESPONSE;
        }
        if (got == 0) {
            break;
        }
        print_body(call, &chunks, head, (size_t)got);
        taken += got;
    }
    if (taken < expected || (chunked && (!chunks.ended || chunks.broken))) {
        call->why = "the response ended early";
        return NO_RESPONSE;
    }
    return status;
}

/* Returns the response's status, or NO_RESPONSE with a reason. */
static int ask(struct call *call) {
    int connection = dial(call);
    if (connection < 0) {
        return NO_RESPONSE;
    }
    int status = send_request(connection, call) ? read_response(connection, call) : NO_RESPONSE;
    close(connection);
    return status;
}

/* ---- the commands */

/* Waits for the page /ready to say 200; a sidecar that does not listen yet counts as one that is not ready. */
static int await_ready(const struct options *options, const struct peer *peer) {
    int64_t end_ms = now_ms() + options->timeout_ms;
    for (;;) {
        int64_t now = now_ms();
        struct call call = {.peer = peer, .method = "GET", .target = "/ready", .end_ms = now + RESPONSE_MS};
        call.end_ms = call.end_ms < end_ms ? call.end_ms : end_ms;
        int status = ask(&call);
        if (status == 200) {
            return 0;
        }
        if (now_ms() + LOOK_MS >= end_ms) {
            fprintf(stderr, "remora: %s: not ready within %" PRId64 " ms: %s\n", options->admin, options->timeout_ms,
                    status == NO_RESPONSE ? call.why : "the sidecar answers, and is not ready");
            return EXIT_REFUSED;
        }
        nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * NS_PER_MS}, NULL);
    }
}

/* Adds a query parameter; NULL adds none. The values are short: a word, or a duration that was read. */
static void add_parameter(char target[static REQUEST_SIZE / 2], const char *name, const char *value) {
    size_t length = strlen(target);
    if (value != NULL) {
        snprintf(target + length, REQUEST_SIZE / 2 - length, "%c%s=%s", strchr(target, '?') == NULL ? '?' : '&', name, value);
    }
}

/* Has a profile taken, and prints it or writes it to a file. */
static int take_profile(const struct options *options, const struct peer *peer) {
    char target[REQUEST_SIZE / 2];
    snprintf(target, sizeof target, "/profile?kind=%s&progress=true&seconds=%" PRId64 "&format=%s",
             options->kind == NULL ? "cpu" : options->kind, options->profile_ms / MS_PER_S, options->format);
    add_parameter(target, "slow", *options->slowest == '\0' ? NULL : options->slowest);
    add_parameter(target, "hz", options->hz);
    add_parameter(target, "bytes", options->bytes);
    struct frames frames = {.out = options->out == NULL ? stdout : fopen(options->out, "we"), .progress = stderr};
    if (frames.out == NULL) {
        refuse(EXIT_UNAVAILABLE, "%s: %s", options->out, strerror(errno));
    }
    struct call call = {.peer = peer, .method = "POST", .target = target, .out = stderr, .frames = &frames};
    call.end_ms = now_ms() + options->profile_ms + PROFILE_SENT_MS + options->timeout_ms;
    int status = ask(&call);
    bool written = fflush(frames.out) == 0 && !ferror(frames.out);
    if (options->out != NULL) {
        written = fclose(frames.out) == 0 && written;
    }
    if (!written) {
        refuse(EXIT_UNAVAILABLE, "the profile cannot be written: %s", strerror(errno));
    }
    if (status == NO_RESPONSE || (status == 200 && (!frames.ended || frames.broken))) {
        refuse(EXIT_UNAVAILABLE, "%s: %s", options->admin, status == NO_RESPONSE ? call.why : "the profile is not whole");
    }
    return status == 200 ? 0 : EXIT_REFUSED;
}

/* Asks for a page that looks inside the process, and prints it or writes it to a file. */
static int look_inside(const struct options *options, const struct peer *peer) {
    char target[REQUEST_SIZE / 2];
    snprintf(target, sizeof target, "%s", options->insight->path);
    add_parameter(target, "settings", options->settings);
    add_parameter(target, "duration", options->duration);
    add_parameter(target, "events", options->events);
    add_parameter(target, "above", options->above);
    add_parameter(target, "slow", options->slow);
    struct call call = {.peer = peer, .method = options->insight->method, .target = target, .problems = stderr, .chunks = true};
    call.out = options->out == NULL ? stdout : fopen(options->out, "we");
    if (call.out == NULL) {
        refuse(EXIT_UNAVAILABLE, "%s: %s", options->out, strerror(errno));
    }
    FILE *out = call.out;
    call.end_ms = now_ms() + LOOK_INSIDE_MS + options->wait_ms + options->timeout_ms;
    int status = ask(&call);
    bool written = fflush(out) == 0 && !ferror(out);
    if (options->out != NULL) {
        written = fclose(out) == 0 && written;
    }
    if (!written) {
        refuse(EXIT_UNAVAILABLE, "the response cannot be written: %s", strerror(errno));
    }
    if (status == NO_RESPONSE) {
        refuse(EXIT_UNAVAILABLE, "%s: %s", options->admin, call.why);
    }
    return status == 200 ? 0 : EXIT_REFUSED;
}

int run_admin_command(int count, char **arguments) {
    if (count == 2 && strcmp(arguments[1], "--help") == 0) {
        fputs(USAGE, stdout);
        return 0;
    }
    struct options options = read_options(count, arguments);
    struct peer peer = read_peer(options.admin);
    if (strcmp(options.word, "wait") == 0) {
        return await_ready(&options, &peer);
    }
    if (strcmp(options.word, "profile") == 0) {
        return take_profile(&options, &peer);
    }
    if (options.insight != NULL) {
        return look_inside(&options, &peer);
    }
    char target[REQUEST_SIZE / 2];
    bool changes = strcmp(options.word, "drain") == 0 || strcmp(options.word, "shutdown") == 0;
    snprintf(target, sizeof target, options.page == NULL ? "/%s" : "%s", options.page == NULL ? options.word : options.page);
    add_parameter(target, "direction", options.inbound ? "inbound" : NULL);
    add_parameter(target, "delay", options.delay);
    add_parameter(target, "wait", options.wait);
    struct call call = {.peer = &peer, .method = changes ? "POST" : "GET", .target = target, .out = stdout};
    call.end_ms = now_ms() + options.wait_ms + options.timeout_ms;
    int status = ask(&call);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        refuse(EXIT_UNAVAILABLE, "the response cannot be printed: %s", strerror(errno));
    }
    if (status == NO_RESPONSE) {
        refuse(EXIT_UNAVAILABLE, "%s: %s", options.admin, call.why);
    }
    return status / 100 == 2 ? 0 : EXIT_REFUSED;
}
