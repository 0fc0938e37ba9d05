/*
 * Transparent capture without nft, a shell or a library: sets, removes and proves the rules of scripts/capture. Under the name remora-cni it
 * is a CNI plugin. The image remora-capture consists of this program.
 */
#include "cni.h"
#include "install.h"
#include "nft.h"
#include "rules.h"
#include "verify.h"

#include <stdio.h>
#include <string.h>

static const char USAGE[] =
    "usage: remora-capture up --uid N [--inbound PORT] [--outbound PORT] [--inbound-ports P,P] [--skip-inbound P,P]\n"
    "                         [--skip-outbound P,P] [--skip-outbound-addresses CIDR,CIDR]\n"
    "                                          set the rules in this network namespace, with the capability NET_ADMIN\n"
    "       remora-capture down                remove the rules\n"
    "       remora-capture verify --outbound PORT [--inbound PORT] [--skip-outbound P,P] [--skip-outbound-addresses CIDR,CIDR]\n"
    "                             [--timeout SECONDS]\n"
    "                                          prove that the rules hold, as any user but the sidecar's, before the sidecar runs\n"
    "       remora-capture install --cni-bin DIR --cni-conf DIR\n"
    "                                          install the CNI plugin, and keep it in place until SIGTERM\n"
    "       remora-capture installed --cni-bin DIR --cni-conf DIR\n"
    "       remora-capture uninstall --cni-bin DIR --cni-conf DIR\n"
    "                                          remove the CNI plugin, while no installer runs\n"
    "       remora-capture pause               wait for SIGTERM\n"
    "exit status: 0 success, 1 not captured or not installed, 64 wrong command line, 69 refused by the kernel or the file system\n";

/* The time for the proof of one address family. */
enum { DEFAULT_TIMEOUT_S = 5, LONGEST_TIMEOUT_S = 60, MS_PER_S = 1000 };

enum { EXIT_NOT_SO = 1 };

enum word { UP = 1, DOWN = 2, VERIFY = 4, INSTALL = 8, INSTALLED = 16, UNINSTALL = 32, PAUSE = 64 };

struct arguments {
    struct rules rules;
    struct folders folders;
    uint32_t timeout_s;
};

static int refuse(int status, const char *why) {
    fprintf(stderr, "remora-capture: %s\n", why);
    return status;
}

static enum word read_word(const char *text) {
    static const struct {
        const char *text;
        enum word word;
    } words[] = {{"up", UP}, {"down", DOWN}, {"verify", VERIFY}, {"install", INSTALL}, {"installed", INSTALLED}, {"uninstall", UNINSTALL},
                 {"pause", PAUSE}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(text, words[i].text) == 0) {
            return words[i].word;
        }
    }
    return 0;
}

/* Reads one option with its value. */
static bool read_option(enum word word, const char *name, const char *value, struct arguments *into, struct problem *why) {
    enum { FOLDERS = INSTALL | INSTALLED | UNINSTALL };
    static const struct {
        const char *name;
        int words;
    } options[] = {
        {"--uid", UP}, {"--inbound", UP | VERIFY}, {"--outbound", UP | VERIFY}, {"--inbound-ports", UP}, {"--skip-inbound", UP},
        {"--skip-outbound", UP | VERIFY}, {"--skip-outbound-addresses", UP | VERIFY}, {"--timeout", VERIFY},
        {"--cni-bin", FOLDERS}, {"--cni-conf", FOLDERS},
    };
    struct rules *rules = &into->rules;
    size_t number = 0;
    size_t count = sizeof options / sizeof *options;
    while (number < count && (strcmp(name, options[number].name) != 0 || (options[number].words & (int)word) == 0)) {
        number++;
    }
    if (number == count) {
        return problem(why, "%.60s: unknown argument; remora-capture --help lists them", name);
    }
    if (value == NULL) {
        return problem(why, "%s needs a value", name);
    }
    switch (number) {
        case 0: return read_number(name, value, 1, UINT32_MAX - 1, &rules->uid, why);
        case 1: return read_port(name, value, &rules->inbound, why);
        case 2: return read_port(name, value, &rules->outbound, why);
        case 3: return read_ports(name, value, &rules->inbound_ports, why);
        case 4: return read_ports(name, value, &rules->skip_inbound, why);
        case 5: return read_ports(name, value, &rules->skip_outbound, why);
        case 6: return read_networks(name, value, &rules->skip_outbound_addresses, why);
        case 7: return read_number(name, value, 1, LONGEST_TIMEOUT_S, &into->timeout_s, why);
        case 8: into->folders.programs = value; return true;
        default: into->folders.configurations = value; return true;
    }
}

static bool read_arguments(enum word word, int count, char **given, struct arguments *into, struct problem *why) {
    for (int i = 0; i < count; i += 2) {
        if (!read_option(word, given[i], i + 1 < count ? given[i + 1] : NULL, into, why)) {
            return false;
        }
    }
    switch (word) {
        case UP: return check_rules(&into->rules, why);
        case VERIFY: return into->rules.outbound != 0 || problem(why, "--outbound is missing: what arrives there is the proof");
        case DOWN:
        case PAUSE: return true;
        default: return (into->folders.programs != NULL && into->folders.configurations != NULL) ||
                        problem(why, "--cni-bin and --cni-conf are needed");
    }
}

int main(int count, char **given) {
    const char *slash = count > 0 ? strrchr(given[0], '/') : NULL;
    if (count > 0 && strcmp(slash == NULL ? given[0] : slash + 1, CNI_NAME) == 0) {
        return run_plugin();
    }
    if (count > 1 && strcmp(given[1], "--help") == 0) {
        fputs(USAGE, stdout);
        return 0;
    }
    static struct arguments arguments = {.timeout_s = DEFAULT_TIMEOUT_S};
    struct problem why = {""};
    enum word word = count < 2 ? 0 : read_word(given[1]);
    if (word == 0) {
        fputs(USAGE, stderr);
        return EXIT_USAGE;
    }
    if (!read_arguments(word, count - 2, given + 2, &arguments, &why)) {
        return refuse(EXIT_USAGE, why.text);
    }
    switch (word) {
        case UP: return set_rules(&arguments.rules, &why) ? 0 : refuse(EXIT_UNAVAILABLE, why.text);
        case DOWN: return remove_rules(&why) ? 0 : refuse(EXIT_UNAVAILABLE, why.text);
        case VERIFY:
            return verify_capture(&arguments.rules, (int)arguments.timeout_s * MS_PER_S, &why) ? 0 : refuse(EXIT_NOT_SO, why.text);
        case PAUSE: return await_end();
        case INSTALL: return install_plugin(&arguments.folders);
        case INSTALLED: return is_installed(&arguments.folders, &why) ? 0 : refuse(EXIT_NOT_SO, why.text);
        default: return uninstall_plugin(&arguments.folders, &why) ? 0 : refuse(EXIT_UNAVAILABLE, why.text);
    }
}
