#define _GNU_SOURCE
#include "netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { BATCH_SIZE = 64 * 1024, REPLY_SIZE = 16 * 1024, MOST_NESTED = 8, REPLY_SECONDS = 5 };

/* Bytes of an attribute's header. */
static const size_t HEADER = sizeof(struct nlattr);

/* Too large for a stack of a few pages. */
static struct {
    _Alignas(struct nlmsghdr) uint8_t bytes[BATCH_SIZE];
    size_t length;
    size_t message; /* where the current one begins */
    size_t nested[MOST_NESTED];
    size_t depth;
    uint32_t sequence;
    bool full;
} batch;

/* ---- messages and attributes */

static void *room(size_t length) {
    size_t aligned = NLMSG_ALIGN(length);
    if (batch.full || aligned > sizeof batch.bytes - batch.length) {
        batch.full = true;
        return NULL;
    }
    void *at = batch.bytes + batch.length;
    memset(at, 0, aligned);
    batch.length += aligned;
    return at;
}

static void begin_message(uint16_t type, uint16_t flags, uint8_t family, uint16_t resource) {
    batch.message = batch.length;
    struct nlmsghdr *header = room(NLMSG_HDRLEN);
    struct nfgenmsg *general = room(sizeof *general);
    if (general != NULL) {
        header->nlmsg_type = type;
        header->nlmsg_flags = NLM_F_REQUEST | flags;
        header->nlmsg_seq = ++batch.sequence;
        *general = (struct nfgenmsg){.nfgen_family = family, .version = NFNETLINK_V0, .res_id = htons(resource)};
    }
}

void end_message(void) {
    if (!batch.full) {
        struct nlmsghdr *header = (struct nlmsghdr *)(batch.bytes + batch.message);
        header->nlmsg_len = (uint32_t)(batch.length - batch.message);
    }
}

void begin_nft(uint16_t message, uint16_t flags) {
    begin_message((uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | message), flags, NFPROTO_INET, 0);
}

void put(uint16_t type, const void *value, size_t length) {
    struct nlattr *attribute = room(HEADER + length);
    if (attribute != NULL) {
        attribute->nla_type = type;
        attribute->nla_len = (uint16_t)(HEADER + length);
        memcpy((uint8_t *)attribute + HEADER, value, length);
    }
}

void put_text(uint16_t type, const char *text) {
    put(type, text, strlen(text) + 1);
}

void put_number(uint16_t type, uint32_t number) {
    put(type, &(uint32_t){htonl(number)}, sizeof number);
}

void open_nested(uint16_t type) {
    size_t at = batch.length;
    struct nlattr *attribute = room(HEADER);
    if (attribute != NULL) {
        attribute->nla_type = type | NLA_F_NESTED;
    }
    if (batch.depth == MOST_NESTED) {
        batch.full = true;
        return;
    }
    batch.nested[batch.depth++] = at;
}

void close_nested(size_t levels) {
    for (; levels > 0 && batch.depth > 0 && !batch.full; levels--) {
        size_t at = batch.nested[--batch.depth];
        size_t length = batch.length - at;
        if (length > UINT16_MAX) {
            batch.full = true;
            return;
        }
        ((struct nlattr *)(batch.bytes + at))->nla_len = (uint16_t)length;
    }
}

void put_value(uint16_t type, const void *value, size_t length) {
    open_nested(type);
    put(NFTA_DATA_VALUE, value, length);
    close_nested(1);
}

void begin_batch(void) {
    batch.length = batch.depth = 0;
    batch.sequence = 0;
    batch.full = false;
    begin_message(NFNL_MSG_BATCH_BEGIN, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES);
    end_message();
}

void refuse_batch(void) {
    batch.full = true;
}

bool is_batch_full(void) {
    return batch.full;
}

/* ---- the exchange with the kernel */

/* Opens a socket to nf_tables; -1 with a reason without. */
static int open_netlink(struct problem *why) {
    int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
    struct timeval patience = {.tv_sec = REPLY_SECONDS};
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    if (netlink < 0 || setsockopt(netlink, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0 ||
        connect(netlink, (struct sockaddr *)&kernel, sizeof kernel) < 0) {
        problem(why, "no netlink socket to nf_tables: %s", strerror(errno));
        if (netlink >= 0) {
            close(netlink);
        }
        return -1;
    }
    return netlink;
}

static void explain(int failure, const char *did, struct problem *why) {
    const char *reason = failure == EPERM    ? "this needs the capability NET_ADMIN"
                         : failure == EAGAIN ? "no reply from the kernel"
                         : failure == ENOENT ? "it has no module for one of them (nft_chain_nat, nft_redir, nft_fib_inet)"
                                             : strerror(failure);
    problem(why, "the kernel has not %s: %s", did, reason);
}

/* A number of an object, and the attribute that has it. */
struct wanted {
    uint16_t type;
    uint32_t number;
};

/* Takes the number from the description of an object. */
static void take_number(const struct nlmsghdr *header, struct wanted *wanted) {
    size_t at = NLMSG_HDRLEN + NLMSG_ALIGN(sizeof(struct nfgenmsg));
    while (at + HEADER <= header->nlmsg_len) {
        struct nlattr attribute;
        memcpy(&attribute, (const uint8_t *)header + at, sizeof attribute);
        if (attribute.nla_len < HEADER || attribute.nla_len > header->nlmsg_len - at) {
            return;
        }
        if ((attribute.nla_type & NLA_TYPE_MASK) == wanted->type && attribute.nla_len == HEADER + sizeof(uint32_t)) {
            memcpy(&wanted->number, (const uint8_t *)header + at + HEADER, sizeof wanted->number);
            wanted->number = ntohl(wanted->number);
        }
        at += NLMSG_ALIGN((size_t)attribute.nla_len);
    }
}

/* Reads replies until the acknowledgement of message "last", or an error. Returns 0, or the error. The number that is wanted comes from another reply. */
static int await_reply(int netlink, uint32_t last, struct wanted *wanted) {
    static _Alignas(struct nlmsghdr) uint8_t reply[REPLY_SIZE];
    for (;;) {
        ssize_t got = recv(netlink, reply, sizeof reply, 0);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got < 0 ? errno : EPROTO;
        }
        size_t left = (size_t)got;
        for (const uint8_t *at = reply; left >= sizeof(struct nlmsghdr);) {
            const struct nlmsghdr *header = (const struct nlmsghdr *)at;
            if (header->nlmsg_len < sizeof *header || header->nlmsg_len > left) {
                return EPROTO;
            }
            if (header->nlmsg_type == NLMSG_ERROR) {
                int failure;
                if (header->nlmsg_len < NLMSG_HDRLEN + sizeof failure) {
                    return EPROTO;
                }
                memcpy(&failure, at + NLMSG_HDRLEN, sizeof failure);
                if (failure != 0 || header->nlmsg_seq == last) {
                    return -failure;
                }
            } else if (wanted != NULL) {
                take_number(header, wanted);
            }
            size_t step = NLMSG_ALIGN(header->nlmsg_len);
            step = step < left ? step : left;
            at += step;
            left -= step;
        }
    }
}

/* Sends the batch, whose last message wants an acknowledgement. */
bool commit(const char *did, struct problem *why) {
    uint32_t last = batch.sequence;
    begin_message(NFNL_MSG_BATCH_END, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES);
    end_message();
    if (batch.full) {
        return problem(why, "too many ports or addresses for one set of rules");
    }
    int netlink = open_netlink(why);
    if (netlink < 0) {
        return false;
    }
    ssize_t sent = send(netlink, batch.bytes, batch.length, 0);
    int failure = sent < 0 ? errno : await_reply(netlink, last, NULL);
    close(netlink);
    if (failure != 0) {
        explain(failure, did, why);
    }
    return failure == 0;
}

bool ask(uint16_t message, const uint16_t types[2], const char *const texts[2], uint16_t number, uint32_t *into, struct problem *why) {
    struct wanted wanted = {.type = number};
    int netlink = open_netlink(why);
    if (netlink < 0) {
        return false;
    }
    batch.length = 0;
    begin_nft(message, NLM_F_ACK);
    put_text(types[0], texts[0]);
    put_text(types[1], texts[1]);
    end_message();
    ssize_t sent = send(netlink, batch.bytes, batch.length, 0);
    int failure = sent < 0 ? errno : await_reply(netlink, batch.sequence, &wanted);
    close(netlink);
    if (failure == ENOENT) {
        problem(why, "there are no rules %s", texts[1]);
    } else if (failure != 0) {
        explain(failure, "shown the rules", why);
    }
    *into = wanted.number;
    return failure == 0;
}
