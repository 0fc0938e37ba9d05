#define _GNU_SOURCE
#include "verify.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/netfilter_ipv4.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* From linux/netfilter_ipv6/ip6_tables.h, which does not go with the C library's headers. */
enum { ORIGINAL_DESTINATION_V6 = 80 };

enum { MS_PER_S = 1000, NS_PER_MS = 1000000, QUEUE = 16, FIRST_PORT = 9 };

/* Addresses for documentation, of which no host has any. Spec: RFC 5737, RFC 3849. */
static const char *const V4_NOWHERE[] = {"192.0.2.1", "198.51.100.1", "203.0.113.1"};
static const char *const V6_NOWHERE[] = {"2001:db8::1", "2001:db8:8000::1"};

struct endpoint {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address;
};

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * MS_PER_S + now.tv_nsec / NS_PER_MS;
}

static const char *family_name(int family) {
    return family == AF_INET ? "IPv4" : "IPv6";
}

static struct endpoint endpoint_of(int family) {
    struct endpoint endpoint;
    memset(&endpoint, 0, sizeof endpoint);
    endpoint.address.any.sa_family = (sa_family_t)family;
    return endpoint;
}

static socklen_t size_of(const struct endpoint *endpoint) {
    return endpoint->address.any.sa_family == AF_INET ? sizeof endpoint->address.v4 : sizeof endpoint->address.v6;
}

static void *bytes_of(struct endpoint *endpoint) {
    return endpoint->address.any.sa_family == AF_INET ? (void *)&endpoint->address.v4.sin_addr : (void *)&endpoint->address.v6.sin6_addr;
}

static size_t length_of(const struct endpoint *endpoint) {
    return endpoint->address.any.sa_family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr);
}

static void set_port(struct endpoint *endpoint, uint16_t port) {
    if (endpoint->address.any.sa_family == AF_INET) {
        endpoint->address.v4.sin_port = htons(port);
    } else {
        endpoint->address.v6.sin6_port = htons(port);
    }
}

static uint16_t port_of(const struct endpoint *endpoint) {
    return ntohs(endpoint->address.any.sa_family == AF_INET ? endpoint->address.v4.sin_port : endpoint->address.v6.sin6_port);
}

static bool is_same(struct endpoint *one, struct endpoint *other) {
    return one->address.any.sa_family == other->address.any.sa_family && port_of(one) == port_of(other) &&
           memcmp(bytes_of(one), bytes_of(other), length_of(one)) == 0;
}

static bool is_link_local(const struct endpoint *endpoint) {
    return endpoint->address.any.sa_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&endpoint->address.v6.sin6_addr);
}

/*
 * Tells if there is a route to the address, by which the kernel would send from an address that others can reply to; nothing is sent. A
 * default route by IPv6 in a namespace with a link-local address only is of no use to anybody.
 */
static bool has_route(const struct endpoint *to) {
    struct endpoint own = endpoint_of(to->address.any.sa_family);
    socklen_t size = size_of(to);
    int datagrams = socket(to->address.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool routed = datagrams >= 0 && connect(datagrams, &to->address.any, size) == 0 &&
                  getsockname(datagrams, &own.address.any, &size) == 0 && !is_link_local(&own);
    if (datagrams >= 0) {
        close(datagrams);
    }
    return routed;
}

/* A neighbour of one of our addresses: the same address but for one of its last bits. */
static bool find_neighbour(int family, const struct rules *rules, struct endpoint *into) {
    struct ifaddrs *all;
    bool found = false;
    if (getifaddrs(&all) != 0) {
        return false;
    }
    for (const struct ifaddrs *one = all; one != NULL && !found; one = one->ifa_next) {
        bool own = one->ifa_addr != NULL && one->ifa_addr->sa_family == family && (one->ifa_flags & IFF_LOOPBACK) == 0;
        /* the second bit first: the other may lead to the address of the network itself */
        for (uint8_t bit = 2; own && !found && bit > 0; bit--) {
            memcpy(&into->address, one->ifa_addr, size_of(into));
            set_port(into, FIRST_PORT);
            ((uint8_t *)bytes_of(into))[length_of(into) - 1] ^= bit;
            found = !is_link_local(into) && !has_address(&rules->skip_outbound_addresses, bytes_of(into), length_of(into)) && has_route(into);
        }
    }
    freeifaddrs(all);
    return found;
}

/* Finds an address that is not local, not skipped, and has a route. */
static bool find_destination(int family, const struct rules *rules, struct endpoint *into) {
    const char *const *texts = family == AF_INET ? V4_NOWHERE : V6_NOWHERE;
    size_t count = family == AF_INET ? sizeof V4_NOWHERE / sizeof *V4_NOWHERE : sizeof V6_NOWHERE / sizeof *V6_NOWHERE;
    *into = endpoint_of(family);
    set_port(into, FIRST_PORT);
    for (size_t i = 0; i < count; i++) {
        inet_pton(family, texts[i], bytes_of(into));
        if (!has_address(&rules->skip_outbound_addresses, bytes_of(into), length_of(into)) && has_route(into)) {
            return true;
        }
    }
    return find_neighbour(family, rules, into);
}

/* The first port that the rules capture. */
static uint16_t captured_port(const struct rules *rules) {
    uint16_t port = FIRST_PORT;
    while (has_port(&rules->skip_outbound, port) || port == rules->inbound || port == rules->outbound) {
        port++;
    }
    return port;
}

/* Opens the outbound port for one address family; -1 with a reason without. */
static int listen_at(int family, uint16_t port, struct problem *why) {
    int listener = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct endpoint at = endpoint_of(family);
    set_port(&at, port);
    int on = 1;
    if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        (family == AF_INET6 && setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) < 0) ||
        bind(listener, &at.address.any, size_of(&at)) < 0 || listen(listener, QUEUE) < 0) {
        problem(why, "port %u: %s; verify runs before the sidecar, and listens there itself", port, strerror(errno));
        if (listener >= 0) {
            close(listener);
        }
        return -1;
    }
    return listener;
}

/* A connection that was begun, and where it was to go. */
struct attempt {
    int connection; /* -1: none */
    struct endpoint to;
};

static struct attempt dial(const struct endpoint *to, uint16_t port, struct problem *why) {
    struct attempt attempt = {.connection = socket(to->address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), .to = *to};
    set_port(&attempt.to, port);
    if (attempt.connection >= 0 && connect(attempt.connection, &attempt.to.address.any, size_of(to)) < 0 && errno != EINPROGRESS) {
        problem(why, "no %s connection: %s", family_name(to->address.any.sa_family), strerror(errno));
        close(attempt.connection);
        attempt.connection = -1;
    }
    return attempt;
}

/* Ends a connection by a reset, so that nothing of it holds the port that the sidecar will listen at. */
static void reset(int connection) {
    struct linger at_once = {.l_onoff = 1};
    if (connection >= 0) {
        setsockopt(connection, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        close(connection);
    }
}

/* Tells if an accepted connection is that of the attempt, redirected. */
static bool is_redirected(int accepted, struct attempt *attempt) {
    int family = attempt->to.address.any.sa_family;
    struct endpoint peer = endpoint_of(family);
    struct endpoint own = endpoint_of(family);
    struct endpoint original = endpoint_of(family);
    socklen_t peer_size = size_of(&peer);
    socklen_t own_size = size_of(&own);
    socklen_t original_size = size_of(&original);
    int level = family == AF_INET ? IPPROTO_IP : IPPROTO_IPV6;
    int option = family == AF_INET ? SO_ORIGINAL_DST : ORIGINAL_DESTINATION_V6;
    return getpeername(accepted, &peer.address.any, &peer_size) == 0 &&
           getsockname(attempt->connection, &own.address.any, &own_size) == 0 && is_same(&peer, &own) &&
           getsockopt(accepted, level, option, &original, &original_size) == 0 && is_same(&original, &attempt->to);
}

/* Accepts until one of the attempts arrives, and returns its number; -1 once the time is over. Connections of strangers are dropped. */
static int next_arrival(int listener, struct attempt *attempts, int count, int64_t end_ms) {
    for (;;) {
        struct pollfd one = {.fd = listener, .events = POLLIN};
        int64_t left = end_ms - now_ms();
        int ready = left <= 0 ? 0 : poll(&one, 1, (int)left);
        if (ready == 0 || (ready < 0 && errno != EINTR)) {
            return -1;
        }
        int accepted = ready < 0 ? -1 : accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        int arrived = -1;
        for (int i = 0; accepted >= 0 && i < count && arrived < 0; i++) {
            arrived = is_redirected(accepted, &attempts[i]) ? i : -1;
        }
        reset(accepted);
        if (arrived >= 0) {
            return arrived;
        }
    }
}

/* Expects a connection to a captured port at the outbound port. */
static bool expect_captured(int listener, struct endpoint *to, const struct rules *rules, int64_t end_ms, struct problem *why) {
    char text[INET6_ADDRSTRLEN];
    struct attempt attempt = dial(to, captured_port(rules), why);
    if (attempt.connection < 0) {
        return false;
    }
    bool captured = next_arrival(listener, &attempt, 1, end_ms) == 0;
    reset(attempt.connection);
    inet_ntop(to->address.any.sa_family, bytes_of(to), text, sizeof text);
    return captured || problem(why, "a connection to %s port %u was not captured: the rules for %s are not set in this network namespace, "
                                    "or leave the user %u alone", text, port_of(&attempt.to), family_name(to->address.any.sa_family), getuid());
}

/* Expects that a connection to the inbound port does not arrive before a later one that is captured. */
static bool expect_left_alone(int listener, struct endpoint *to, const struct rules *rules, int64_t end_ms, struct problem *why) {
    struct attempt attempts[] = {dial(to, rules->inbound, why), dial(to, captured_port(rules), why)};
    bool dialled = attempts[0].connection >= 0 && attempts[1].connection >= 0;
    int arrived = dialled ? next_arrival(listener, attempts, 2, end_ms) : -1;
    reset(attempts[0].connection);
    reset(attempts[1].connection);
    if (arrived == 0) {
        return problem(why, "a connection to port %u was captured: the rules have no inbound port %u", rules->inbound, rules->inbound);
    }
    return arrived == 1 || (dialled ? problem(why, "a second connection was not captured in time") : false);
}

bool verify_capture(const struct rules *rules, int timeout_ms, struct problem *why) {
    static const int families[] = {AF_INET, AF_INET6};
    int proven = 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        struct endpoint to;
        if (!find_destination(families[i], rules, &to)) {
            continue;
        }
        int64_t end_ms = now_ms() + timeout_ms;
        int listener = listen_at(families[i], rules->outbound, why);
        bool held = listener >= 0 && expect_captured(listener, &to, rules, end_ms, why) &&
                    (rules->inbound == 0 || expect_left_alone(listener, &to, rules, end_ms, why));
        if (listener >= 0) {
            close(listener);
        }
        if (!held) {
            return false;
        }
        proven++;
    }
    return proven > 0 || problem(why, "no address outside this network namespace has a route: nothing can be proven");
}
