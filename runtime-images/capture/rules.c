#include "rules.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char BLANKS[] = " \t";

bool problem(struct problem *into, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(into->text, sizeof into->text, format, arguments);
    va_end(arguments);
    return false;
}

bool read_number(const char *what, const char *text, uint32_t least, uint32_t most, uint32_t *into, struct problem *why) {
    uint64_t number = 0;
    size_t length = strlen(text);
    bool decimal = length > 0 && length <= 10 && strspn(text, "0123456789") == length && (*text != '0' || length == 1);
    for (size_t i = 0; decimal && i < length; i++) {
        number = number * 10 + (uint64_t)(text[i] - '0');
    }
    if (!decimal || number < least || number > most) {
        return problem(why, "%s is '%.40s', expected a number from %u to %u", what, text, least, most);
    }
    *into = (uint32_t)number;
    return true;
}

bool read_port(const char *what, const char *text, uint16_t *into, struct problem *why) {
    uint32_t number;
    if (!read_number(what, text, 1, UINT16_MAX, &number, why)) {
        return false;
    }
    *into = (uint16_t)number;
    return true;
}

bool has_port(const struct ports *ports, uint16_t port) {
    for (size_t i = 0; i < ports->count; i++) {
        if (ports->list[i] == port) {
            return true;
        }
    }
    return false;
}

bool add_port(struct ports *into, uint16_t port) {
    if (has_port(into, port)) {
        return true;
    }
    if (into->count == MOST_PORTS + OWN_PORTS) {
        return false;
    }
    into->list[into->count++] = port;
    return true;
}

/* Copies the next item of a list with commas, without the blanks around it. Returns false at the end; an item that is too long is cut. */
static bool next_item(const char **at, char *into, size_t size) {
    if (*at == NULL) {
        return false;
    }
    const char *from = *at + strspn(*at, BLANKS);
    size_t length = strcspn(from, ",");
    *at = from[length] == ',' ? from + length + 1 : NULL;
    while (length > 0 && strchr(BLANKS, from[length - 1]) != NULL) {
        length--;
    }
    length = length < size ? length : size - 1;
    memcpy(into, from, length);
    into[length] = '\0';
    return true;
}

static bool is_blank(const char *text) {
    return text[strspn(text, BLANKS)] == '\0';
}

bool read_ports(const char *what, const char *text, struct ports *into, struct problem *why) {
    char item[48];
    const char *at = is_blank(text) ? NULL : text;
    while (next_item(&at, item, sizeof item)) {
        uint16_t port;
        if (!read_port(what, item, &port, why)) {
            return false;
        }
        if (!add_port(into, port) || into->count > MOST_PORTS) {
            return problem(why, "%s has more than %d ports", what, MOST_PORTS);
        }
    }
    return true;
}

static bool read_network(const char *what, const char *text, struct network *into, struct problem *why) {
    char address[INET6_ADDRSTRLEN];
    const char *slash = strchr(text, '/');
    size_t length = slash == NULL ? strlen(text) : (size_t)(slash - text);
    bool is_v6 = memchr(text, ':', length) != NULL;
    memset(into, 0, sizeof *into);
    into->bytes = is_v6 ? sizeof(struct in6_addr) : sizeof(struct in_addr);
    uint32_t prefix = 8u * into->bytes;
    if (length < sizeof address) {
        memcpy(address, text, length);
        address[length] = '\0';
    }
    if (length >= sizeof address || inet_pton(is_v6 ? AF_INET6 : AF_INET, address, into->address) != 1) {
        return problem(why, "%s is '%.60s', expected an address or a network such as 10.0.0.0/8 or fd00::/8", what, text);
    }
    if (slash != NULL && !read_number(what, slash + 1, 1, prefix, &prefix, why)) {
        return false;
    }
    into->prefix = (uint8_t)prefix;
    for (uint32_t bit = prefix; bit < 8u * into->bytes; bit++) {
        if ((into->address[bit / 8] & (0x80u >> bit % 8)) != 0) {
            return problem(why, "%s is '%.60s', which has bits after its prefix of %u bits", what, text, prefix);
        }
    }
    return true;
}

bool read_networks(const char *what, const char *text, struct networks *into, struct problem *why) {
    char item[64];
    const char *at = is_blank(text) ? NULL : text;
    while (next_item(&at, item, sizeof item)) {
        if (into->count == MOST_NETWORKS) {
            return problem(why, "%s has more than %d addresses", what, MOST_NETWORKS);
        }
        if (!read_network(what, item, &into->list[into->count], why)) {
            return false;
        }
        into->count++;
    }
    return true;
}

bool has_address(const struct networks *networks, const void *address, size_t bytes) {
    const uint8_t *of = address;
    for (size_t i = 0; i < networks->count; i++) {
        const struct network *network = &networks->list[i];
        bool same = network->bytes == bytes;
        for (uint32_t bit = 0; same && bit < network->prefix; bit++) {
            same = ((network->address[bit / 8] ^ of[bit / 8]) & (0x80u >> bit % 8)) == 0;
        }
        if (same) {
            return true;
        }
    }
    return false;
}

bool check_rules(const struct rules *rules, struct problem *why) {
    if (rules->uid == 0) {
        return problem(why, "--uid is missing or 0: the connections of the sidecar's user are not captured, and root runs no sidecar");
    }
    if (rules->inbound == 0 && rules->outbound == 0) {
        return problem(why, "neither --inbound nor --outbound is given: there is nothing to capture");
    }
    if (rules->inbound == rules->outbound) {
        return problem(why, "--inbound and --outbound are both %u: each needs a port", rules->inbound);
    }
    return true;
}
