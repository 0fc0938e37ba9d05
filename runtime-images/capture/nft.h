/*
 * The table inet remora_capture of the network namespace that this process is in, by netlink: no nft program is needed.
 */
#ifndef REMORA_NFT_H
#define REMORA_NFT_H

#include "rules.h"

/* Replaces the table in one transaction: all of the rules are there afterwards, or what was there before. */
bool set_rules(const struct rules *rules, struct problem *why);

/* Removes the table; one that is not there is no problem. */
bool remove_rules(struct problem *why);

/* Tells if each chain of the rules is there with as many rules. Needs the right to administer the namespace. */
bool has_rules(const struct rules *rules, struct problem *why);

#endif
