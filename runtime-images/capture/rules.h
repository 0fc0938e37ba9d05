/*
 * The rules of transparent capture as data: what scripts/capture takes, with the ports and addresses that a pod's annotations name.
 */
#ifndef REMORA_RULES_H
#define REMORA_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit statuses, after sysexits: the command line is wrong; the kernel or a file refuses. */
enum { EXIT_USAGE = 64, EXIT_UNAVAILABLE = 69 };

/* Ports of the sidecar in a pod, and the user that runs it. */
enum { DEFAULT_UID = 65532, DEFAULT_INBOUND = 15006, DEFAULT_OUTBOUND = 15001, HEALTH_PORT = 15020 };

/* Bounds: ports of a list, those of the sidecar that are added to it, and networks. */
enum { MOST_PORTS = 64, OWN_PORTS = 3, MOST_NETWORKS = 64 };

/* The reason for a failure, in one line. */
struct problem {
    char text[256];
};

/* Writes the reason; returns false, so that a caller can return it. */
bool problem(struct problem *into, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Ports, each once. */
struct ports {
    uint16_t list[MOST_PORTS + OWN_PORTS];
    size_t count;
};

/* An address with the length of its prefix in bits. */
struct network {
    uint8_t address[16];
    uint8_t bytes; /* 4 or 16 */
    uint8_t prefix;
};

struct networks {
    struct network list[MOST_NETWORKS];
    size_t count;
};

struct rules {
    uint32_t uid;      /* whose connections are not captured */
    uint16_t inbound;  /* 0: no inbound rules */
    uint16_t outbound; /* 0: no outbound rules */
    struct ports inbound_ports; /* none: all ports */
    struct ports skip_inbound;
    struct ports skip_outbound;
    struct networks skip_outbound_addresses;
};

/* Reads a decimal number without sign or leading zero. "what" names it in the problem. */
bool read_number(const char *what, const char *text, uint32_t least, uint32_t most, uint32_t *into, struct problem *why);

bool read_port(const char *what, const char *text, uint16_t *into, struct problem *why);

/* Adds the ports of a list with commas; blanks around a port are allowed, and an empty text adds none. */
bool read_ports(const char *what, const char *text, struct ports *into, struct problem *why);

/* Adds a port unless it is there; false where there is no room. */
bool add_port(struct ports *into, uint16_t port);

bool has_port(const struct ports *ports, uint16_t port);

/* Adds the addresses and networks (10.0.0.0/8, fd00::1) of a list with commas, as read_ports does. */
bool read_networks(const char *what, const char *text, struct networks *into, struct problem *why);

/* Tells if an address, of 4 or 16 bytes, is within one of the networks. */
bool has_address(const struct networks *networks, const void *address, size_t bytes);

/* Checks that the rules are complete. */
bool check_rules(const struct rules *rules, struct problem *why);

#endif
