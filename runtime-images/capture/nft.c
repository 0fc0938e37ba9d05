#include "nft.h"
#include "netlink.h"

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_nat.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>

static const char TABLE[] = "remora_capture";
static const char INBOUND[] = "inbound";
static const char OUTBOUND[] = "outbound";
static const char SET[] = "__set%d"; /* the kernel numbers sets without a name */

/* Of a rule: priority of destination NAT, before routing and of what is sent. */
enum { PRIORITY_DSTNAT = -100 };

/* Where nft's headers have the port, the flags and the destination. */
enum { TCP_PORT_AT = 2, TCP_FLAGS_AT = 13, IP_DESTINATION_AT = 16, IP6_DESTINATION_AT = 24 };

enum { TCP_SYN = 0x02, TCP_BEGIN_MASK = 0x17 /* fin, syn, rst, ack */ };

/* Type of a set's key, as nft names it in listings: inet_service. */
enum { KEY_TYPE_PORT = 13 };

/* Sets and rules that were written. */
static struct {
    uint32_t sets;
    uint32_t in_inbound;
    uint32_t in_outbound;
} written;

/* ---- expressions, as nft writes them, so that nft list shows the rules in its own words */

static void open_expression(const char *name) {
    open_nested(NFTA_LIST_ELEM);
    put_text(NFTA_EXPR_NAME, name);
    open_nested(NFTA_EXPR_DATA);
}

static void close_expression(void) {
    close_nested(2);
}

static void load_meta(uint32_t key) {
    open_expression("meta");
    put_number(NFTA_META_KEY, key);
    put_number(NFTA_META_DREG, NFT_REG_1);
    close_expression();
}

static void load_payload(uint32_t base, uint32_t offset, uint32_t length) {
    open_expression("payload");
    put_number(NFTA_PAYLOAD_DREG, NFT_REG_1);
    put_number(NFTA_PAYLOAD_BASE, base);
    put_number(NFTA_PAYLOAD_OFFSET, offset);
    put_number(NFTA_PAYLOAD_LEN, length);
    close_expression();
}

static void mask(const void *bits, size_t length) {
    static const uint8_t zero[16];
    open_expression("bitwise");
    put_number(NFTA_BITWISE_SREG, NFT_REG_1);
    put_number(NFTA_BITWISE_DREG, NFT_REG_1);
    put_number(NFTA_BITWISE_LEN, (uint32_t)length);
    put_value(NFTA_BITWISE_MASK, bits, length);
    put_value(NFTA_BITWISE_XOR, zero, length);
    close_expression();
}

static void compare(uint32_t operator, const void *value, size_t length) {
    open_expression("cmp");
    put_number(NFTA_CMP_SREG, NFT_REG_1);
    put_number(NFTA_CMP_OP, operator);
    put_value(NFTA_CMP_DATA, value, length);
    close_expression();
}

static void accept_packet(void) {
    open_expression("immediate");
    put_number(NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
    open_nested(NFTA_IMMEDIATE_DATA);
    open_nested(NFTA_DATA_VERDICT);
    put_number(NFTA_VERDICT_CODE, NF_ACCEPT);
    close_nested(2);
    close_expression();
}

static void is_tcp(void) {
    load_meta(NFT_META_L4PROTO);
    compare(NFT_CMP_EQ, &(uint8_t){IPPROTO_TCP}, 1);
}

/* ---- rules */

static void begin_rule(const char *chain) {
    begin_nft(NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND | NLM_F_ACK);
    put_text(NFTA_RULE_TABLE, TABLE);
    put_text(NFTA_RULE_CHAIN, chain);
    open_nested(NFTA_RULE_EXPRESSIONS);
    *(chain == INBOUND ? &written.in_inbound : &written.in_outbound) += 1;
}

static void end_rule(void) {
    close_nested(1);
    end_message();
}

static void end_accepting(void) {
    accept_packet();
    end_rule();
}

static void add_chain(const char *name, uint32_t hook) {
    begin_nft(NFT_MSG_NEWCHAIN, NLM_F_CREATE);
    put_text(NFTA_CHAIN_TABLE, TABLE);
    put_text(NFTA_CHAIN_NAME, name);
    open_nested(NFTA_CHAIN_HOOK);
    put_number(NFTA_HOOK_HOOKNUM, hook);
    put_number(NFTA_HOOK_PRIORITY, (uint32_t)PRIORITY_DSTNAT);
    close_nested(1);
    put_number(NFTA_CHAIN_POLICY, NF_ACCEPT);
    put_text(NFTA_CHAIN_TYPE, "nat");
    end_message();
}

/* tcp flags & (fin | syn | rst | ack) != syn accept: what is under way is new to the kernel's tracking, and is left alone */
static void accept_under_way(const char *chain) {
    begin_rule(chain);
    is_tcp();
    load_payload(NFT_PAYLOAD_TRANSPORT_HEADER, TCP_FLAGS_AT, 1);
    mask(&(uint8_t){TCP_BEGIN_MASK}, 1);
    compare(NFT_CMP_NEQ, &(uint8_t){TCP_SYN}, 1);
    end_accepting();
}

static void accept_network(const char *chain, const struct network *network) {
    bool is_v6 = network->bytes == 16;
    bool whole_bytes = network->prefix % 8 == 0;
    size_t length = whole_bytes ? network->prefix / 8u : network->bytes;
    uint8_t bits[16] = {0};
    for (uint32_t bit = 0; bit < network->prefix; bit++) {
        bits[bit / 8] |= (uint8_t)(0x80u >> bit % 8);
    }
    begin_rule(chain);
    load_meta(NFT_META_NFPROTO);
    compare(NFT_CMP_EQ, &(uint8_t){is_v6 ? NFPROTO_IPV6 : NFPROTO_IPV4}, 1);
    load_payload(NFT_PAYLOAD_NETWORK_HEADER, is_v6 ? IP6_DESTINATION_AT : IP_DESTINATION_AT, (uint32_t)length);
    if (!whole_bytes) {
        mask(bits, length);
    }
    compare(NFT_CMP_EQ, network->address, length);
    end_accepting();
}

static void accept_link_local(const char *chain) {
    accept_network(chain, &(struct network){.address = {0xfe, 0x80}, .bytes = 16, .prefix = 10});
}

static void accept_loopback(const char *chain, uint32_t meta) {
    begin_rule(chain);
    load_meta(meta);
    compare(NFT_CMP_EQ, (char[IF_NAMESIZE]){"lo"}, IF_NAMESIZE);
    end_accepting();
}

static void accept_not_local(const char *chain) {
    begin_rule(chain);
    open_expression("fib");
    put_number(NFTA_FIB_DREG, NFT_REG_1);
    put_number(NFTA_FIB_RESULT, NFT_FIB_RESULT_ADDRTYPE);
    put_number(NFTA_FIB_FLAGS, NFTA_FIB_F_DADDR);
    close_expression();
    compare(NFT_CMP_NEQ, &(uint32_t){RTN_LOCAL}, sizeof(uint32_t));
    end_accepting();
}

static void accept_user(const char *chain, uint32_t uid) {
    begin_rule(chain);
    load_meta(NFT_META_SKUID);
    compare(NFT_CMP_EQ, &uid, sizeof uid);
    end_accepting();
}

/* A set of ports that belongs to the next rule. */
static void add_set(const struct ports *ports) {
    uint32_t number = ++written.sets;
    begin_nft(NFT_MSG_NEWSET, NLM_F_CREATE);
    put_text(NFTA_SET_TABLE, TABLE);
    put_text(NFTA_SET_NAME, SET);
    put_number(NFTA_SET_FLAGS, NFT_SET_ANONYMOUS | NFT_SET_CONSTANT);
    put_number(NFTA_SET_KEY_TYPE, KEY_TYPE_PORT);
    put_number(NFTA_SET_KEY_LEN, sizeof(uint16_t));
    put_number(NFTA_SET_ID, number);
    open_nested(NFTA_SET_DESC);
    put_number(NFTA_SET_DESC_SIZE, (uint32_t)ports->count);
    close_nested(1);
    end_message();
    begin_nft(NFT_MSG_NEWSETELEM, NLM_F_CREATE);
    put_text(NFTA_SET_ELEM_LIST_TABLE, TABLE);
    put_text(NFTA_SET_ELEM_LIST_SET, SET);
    put_number(NFTA_SET_ELEM_LIST_SET_ID, number);
    open_nested(NFTA_SET_ELEM_LIST_ELEMENTS);
    for (size_t i = 0; i < ports->count; i++) {
        open_nested(NFTA_LIST_ELEM);
        put_value(NFTA_SET_ELEM_KEY, &(uint16_t){htons(ports->list[i])}, sizeof(uint16_t));
        close_nested(1);
    }
    close_nested(1);
    end_message();
}

/* tcp dport { ports } accept, or with "other" those that are not among them */
static void accept_ports(const char *chain, const struct ports *ports, bool other) {
    add_set(ports);
    begin_rule(chain);
    is_tcp();
    load_payload(NFT_PAYLOAD_TRANSPORT_HEADER, TCP_PORT_AT, sizeof(uint16_t));
    open_expression("lookup");
    put_text(NFTA_LOOKUP_SET, SET);
    put_number(NFTA_LOOKUP_SREG, NFT_REG_1);
    put_number(NFTA_LOOKUP_SET_ID, written.sets);
    put_number(NFTA_LOOKUP_FLAGS, other ? NFT_LOOKUP_F_INV : 0);
    close_expression();
    end_accepting();
}

static void redirect_to(const char *chain, uint16_t port) {
    begin_rule(chain);
    is_tcp();
    open_expression("immediate");
    put_number(NFTA_IMMEDIATE_DREG, NFT_REG_1);
    put_value(NFTA_IMMEDIATE_DATA, &(uint16_t){htons(port)}, sizeof port);
    close_expression();
    open_expression("redir");
    put_number(NFTA_REDIR_REG_PROTO_MIN, NFT_REG_1);
    put_number(NFTA_REDIR_REG_PROTO_MAX, NFT_REG_1);
    put_number(NFTA_REDIR_FLAGS, NF_NAT_RANGE_PROTO_SPECIFIED);
    close_expression();
    end_rule();
}

/* The sidecar's own ports and those of a list, which are left alone. */
static struct ports left_alone(const struct rules *rules, const struct ports *skipped) {
    struct ports ports = *skipped;
    bool fits = (rules->inbound == 0 || add_port(&ports, rules->inbound)) &&
                (rules->outbound == 0 || add_port(&ports, rules->outbound)) &&
                (skipped != &rules->skip_inbound || add_port(&ports, HEALTH_PORT));
    if (!fits) {
        refuse_batch();
    }
    return ports;
}

static void add_inbound(const struct rules *rules) {
    struct ports skipped = left_alone(rules, &rules->skip_inbound);
    add_chain(INBOUND, NF_INET_PRE_ROUTING);
    accept_under_way(INBOUND);
    accept_link_local(INBOUND);
    accept_loopback(INBOUND, NFT_META_IIFNAME);
    accept_not_local(INBOUND);
    accept_ports(INBOUND, &skipped, false);
    if (rules->inbound_ports.count > 0) {
        accept_ports(INBOUND, &rules->inbound_ports, true);
    }
    redirect_to(INBOUND, rules->inbound);
}

static void add_outbound(const struct rules *rules) {
    struct ports skipped = left_alone(rules, &rules->skip_outbound);
    add_chain(OUTBOUND, NF_INET_LOCAL_OUT);
    accept_under_way(OUTBOUND);
    accept_link_local(OUTBOUND);
    accept_user(OUTBOUND, rules->uid);
    accept_loopback(OUTBOUND, NFT_META_OIFNAME);
    accept_ports(OUTBOUND, &skipped, false);
    for (size_t i = 0; i < rules->skip_outbound_addresses.count; i++) {
        accept_network(OUTBOUND, &rules->skip_outbound_addresses.list[i]);
    }
    redirect_to(OUTBOUND, rules->outbound);
}

/* Begins with the removal of the table; it is added first, as deleting what is not there fails. */
static void begin_removal(void) {
    static const uint16_t messages[] = {NFT_MSG_NEWTABLE, NFT_MSG_DELTABLE};
    begin_batch();
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        begin_nft(messages[i], messages[i] == NFT_MSG_NEWTABLE ? NLM_F_CREATE : NLM_F_ACK);
        put_text(NFTA_TABLE_NAME, TABLE);
        end_message();
    }
}

static void add_rules(const struct rules *rules) {
    written.sets = written.in_inbound = written.in_outbound = 0;
    begin_nft(NFT_MSG_NEWTABLE, NLM_F_CREATE);
    put_text(NFTA_TABLE_NAME, TABLE);
    end_message();
    if (rules->inbound != 0) {
        add_inbound(rules);
    }
    if (rules->outbound != 0) {
        add_outbound(rules);
    }
}

bool set_rules(const struct rules *rules, struct problem *why) {
    begin_removal();
    add_rules(rules);
    return commit("set the rules", why);
}

bool remove_rules(struct problem *why) {
    begin_removal();
    return commit("removed the rules", why);
}

static bool has_chain(const char *name, uint32_t expected, struct problem *why) {
    static const uint16_t types[] = {NFTA_CHAIN_TABLE, NFTA_CHAIN_NAME};
    uint32_t found;
    return ask(NFT_MSG_GETCHAIN, types, (const char *[]){TABLE, name}, NFTA_CHAIN_USE, &found, why) &&
           (found == expected || problem(why, "chain %s has %u rules, expected %u", name, found, expected));
}

bool has_rules(const struct rules *rules, struct problem *why) {
    /* the rules are written down, to count them */
    begin_removal();
    add_rules(rules);
    if (is_batch_full()) {
        return problem(why, "too many ports or addresses for one set of rules");
    }
    return (rules->inbound == 0 || has_chain(INBOUND, written.in_inbound, why)) &&
           (rules->outbound == 0 || has_chain(OUTBOUND, written.in_outbound, why));
}
