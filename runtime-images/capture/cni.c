#define _GNU_SOURCE
#include "cni.h"
#include "json.h"
#include "nft.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bounds: a configuration with a result and annotations, which Kubernetes bounds to 256 KiB before their characters are escaped. */
enum { INPUT_SIZE = 2 * 1024 * 1024, VERSION_SIZE = 16, LIST_SIZE = 4096 };

/* Codes of the specification, and ours, which begin at 100. */
enum { CODE_VERSION = 1, CODE_ENVIRONMENT = 4, CODE_INPUT = 5, CODE_DECODE = 6, CODE_CONFIGURATION = 7, CODE_RULES = 100 };

static const char *const VERSIONS[] = {"0.3.1", "0.4.0", "1.0.0", "1.1.0"};
enum { VERSION_COUNT = sizeof VERSIONS / sizeof *VERSIONS, OLDEST_WITH_CHECK = 1 };

static const char DEFAULT_VERSION[] = "1.0.0";

static char input[INPUT_SIZE];

/* Version of the replies: that of the request, once it is known. */
static char version[VERSION_SIZE] = "1.0.0";

/* Prints an error as the specification has it, and returns the exit status. */
static int fail(int code, const char *message, const char *details) {
    const char *const texts[] = {message, details};
    static const char *const names[] = {"msg", "details"};
    printf("{\"cniVersion\":\"%s\",\"code\":%d", version, code);
    for (int i = 0; i < 2; i++) {
        printf(",\"%s\":\"%s", names[i], i == 0 ? CNI_NAME ": " : "");
        for (const char *at = texts[i]; *at != '\0'; at++) {
            if (*at == '"' || *at == '\\') {
                putchar('\\');
            }
            putchar((unsigned char)*at < 0x20 || (unsigned char)*at > 0x7e ? '?' : *at);
        }
        putchar('"');
    }
    printf("}\n");
    return 1;
}

/* Reads standard input to its end. Returns its length, -1 if it is too long or cannot be read. */
static ssize_t read_input(void) {
    size_t length = 0;
    for (;;) {
        ssize_t got = read(STDIN_FILENO, input + length, sizeof input - length);
        if (got == 0) {
            return (ssize_t)length;
        }
        if (got < 0 && errno != EINTR) {
            return -1;
        }
        length += got < 0 ? 0 : (size_t)got;
        if (length == sizeof input) {
            return -1;
        }
    }
}

/* Returns the number of a version that is supported, -1 for any other. */
static int find_version(const char *text) {
    for (int i = 0; i < VERSION_COUNT; i++) {
        if (strcmp(text, VERSIONS[i]) == 0) {
            return i;
        }
    }
    return -1;
}

bool cni_supports(const char *text) {
    return find_version(text) >= 0;
}

static int print_versions(void) {
    printf("{\"cniVersion\":\"%s\",\"supportedVersions\":[", version);
    for (int i = 0; i < VERSION_COUNT; i++) {
        printf("%s\"%s\"", i == 0 ? "" : ",", VERSIONS[i]);
    }
    printf("]}\n");
    return 0;
}

/* Prints the result of the plugins before this one, which is that of the chain so far. */
static void print_result(struct json result) {
    if (json_kind(json_member(result, "cniVersion")) == '"') {
        fwrite(result.from, 1, (size_t)(result.end - result.from), stdout);
    } else {
        const char *first = result.from + 1;
        first += strspn(first, " \t\r\n");
        bool is_empty = *first == '}';
        printf("{\"cniVersion\":\"%s\"%s", version, is_empty ? "" : ",");
        fwrite(result.from + 1, 1, (size_t)(result.end - result.from - 1), stdout);
    }
    putchar('\n');
}

/* Reads an optional port or user of the plugin's configuration. */
static bool read_option(struct json config, const char *name, uint32_t most, uint32_t *into, struct problem *why) {
    char text[16];
    struct json value = json_member(config, name);
    size_t length = value.from == NULL ? 0 : (size_t)(value.end - value.from);
    if (length == 0) {
        return true;
    }
    if (length >= sizeof text) {
        return problem(why, "%s is no number that is expected there", name);
    }
    memcpy(text, value.from, length);
    text[length] = '\0';
    return read_number(name, text, 1, most, into, why);
}

/* Reads an annotation into a text, which is empty where there is none. */
static bool read_annotation(struct json annotations, const char *name, char text[static LIST_SIZE], struct problem *why) {
    struct json value = json_member(annotations, name);
    text[0] = '\0';
    return value.from == NULL || json_text(value, text, LIST_SIZE) ||
           problem(why, "%s is no text of less than %d bytes", name, LIST_SIZE);
}

/* Reads the rules that the annotations ask for. "wanted" is false for a pod without capture by this plugin. */
static bool read_rules(struct json config, struct rules *rules, bool *wanted, struct problem *why) {
    static char text[LIST_SIZE];
    struct json annotations = json_member(json_member(config, "runtimeConfig"), CNI_ANNOTATIONS);
    uint32_t uid = DEFAULT_UID, inbound = DEFAULT_INBOUND, outbound = DEFAULT_OUTBOUND;
    memset(rules, 0, sizeof *rules);
    *wanted = false;
    if (!read_annotation(annotations, "remora.io/inject", text, why)) {
        return false;
    }
    /* nobody would accept the connections of a pod without a sidecar */
    if (strcmp(text, "false") == 0) {
        return true;
    }
    if (!read_annotation(annotations, "remora.io/capture", text, why)) {
        return false;
    }
    if (strcmp(text, "cni") != 0) {
        return *text == '\0' || strcmp(text, "off") == 0 || strcmp(text, "init") == 0 ||
               problem(why, "remora.io/capture is '%.40s', expected off, init or cni", text);
    }
    *wanted = true;
    if (!read_option(config, "uid", INT32_MAX, &uid, why) || !read_option(config, "inbound", UINT16_MAX, &inbound, why) ||
        !read_option(config, "outbound", UINT16_MAX, &outbound, why)) {
        return false;
    }
    rules->uid = uid;
    rules->inbound = (uint16_t)inbound;
    rules->outbound = (uint16_t)outbound;
    const struct {
        const char *name;
        struct ports *into;
    } lists[] = {
        {"remora.io/inbound-ports", &rules->inbound_ports},
        {"remora.io/skip-inbound-ports", &rules->skip_inbound},
        {"remora.io/skip-outbound-ports", &rules->skip_outbound},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (!read_annotation(annotations, lists[i].name, text, why) || !read_ports(lists[i].name, text, lists[i].into, why)) {
            return false;
        }
    }
    static const char addresses[] = "remora.io/skip-outbound-addresses";
    return read_annotation(annotations, addresses, text, why) &&
           read_networks(addresses, text, &rules->skip_outbound_addresses, why) && check_rules(rules, why);
}

/* Moves this process into a network namespace; returns 0, or the reason as errno has it. */
static int enter(const char *path) {
    int namespace = open(path, O_RDONLY | O_CLOEXEC);
    int failure = namespace < 0 || setns(namespace, CLONE_NEWNET) < 0 ? errno : 0;
    if (namespace >= 0) {
        close(namespace);
    }
    return failure;
}

/* Does one of the commands that name a pod. */
static int act(const char *command, struct json config) {
    bool adds = strcmp(command, "ADD") == 0;
    bool deletes = strcmp(command, "DEL") == 0;
    const char *namespace = getenv("CNI_NETNS");
    struct json result = json_member(config, "prevResult");
    struct problem why;
    struct rules rules;
    bool wanted;
    if (json_kind(result) != '{' && !deletes) {
        return fail(CODE_CONFIGURATION, "there is no prevResult", "it is a chained plugin: list it after the plugin that connects the pod");
    }
    bool understood = read_rules(config, &rules, &wanted, &why);
    if (!understood && !deletes) {
        return fail(CODE_CONFIGURATION, why.text, "correct the pod's annotation, or the plugin's configuration");
    }
    if (wanted && (namespace == NULL || *namespace != '/')) {
        /* a namespace that is gone took its rules along */
        return deletes ? 0 : fail(CODE_ENVIRONMENT, "CNI_NETNS is missing, or no path", "");
    }
    int failure = wanted ? enter(namespace) : 0;
    if (failure != 0 && !deletes) {
        return fail(CODE_RULES, "the pod's network namespace cannot be entered", strerror(failure));
    }
    if (wanted && failure == 0 && !(adds ? set_rules(&rules, &why) : deletes ? remove_rules(&why) : has_rules(&rules, &why))) {
        return fail(CODE_RULES, why.text, "");
    }
    if (adds) {
        print_result(result);
    }
    return 0;
}

int run_plugin(void) {
    const char *command = getenv("CNI_COMMAND");
    ssize_t length = command == NULL ? 0 : read_input();
    if (command == NULL) {
        return fail(CODE_ENVIRONMENT, "CNI_COMMAND is missing", "a container runtime runs this program");
    }
    if (length < 0) {
        return fail(CODE_INPUT, "standard input cannot be read, or is too long", "");
    }
    struct json config = json_read(input, (size_t)length);
    struct json wanted = json_member(config, "cniVersion");
    char text[VERSION_SIZE];
    int found = json_text(wanted, text, sizeof text) ? find_version(text) : -1;
    strcpy(version, found < 0 ? DEFAULT_VERSION : VERSIONS[found]);
    if (strcmp(command, "VERSION") == 0) {
        return print_versions();
    }
    if (json_kind(config) != '{') {
        return fail(CODE_DECODE, "standard input is no JSON object", "");
    }
    if (found < 0) {
        return fail(CODE_VERSION, "the cniVersion is missing or not supported", "expected 0.3.1, 0.4.0, 1.0.0 or 1.1.0");
    }
    if (strcmp(command, "ADD") == 0 || strcmp(command, "DEL") == 0 || (strcmp(command, "CHECK") == 0 && found >= OLDEST_WITH_CHECK)) {
        return act(command, config);
    }
    /* of 1.1.0: there is nothing to collect, and it is ready whenever it can be run */
    if (strcmp(version, "1.1.0") == 0 && (strcmp(command, "GC") == 0 || strcmp(command, "STATUS") == 0)) {
        return 0;
    }
    return fail(CODE_ENVIRONMENT, "CNI_COMMAND is unknown", "expected ADD, DEL, CHECK or VERSION");
}
