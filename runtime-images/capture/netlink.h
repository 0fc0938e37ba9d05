/*
 * Messages of nf_tables by netlink, collected in one batch that the kernel takes as a transaction. There is one batch at a time.
 */
#ifndef REMORA_NETLINK_H
#define REMORA_NETLINK_H

#include "rules.h"

/* Begins a new batch. What does not fit marks it as full, and it is not sent then. */
void begin_batch(void);

/* Begins a message of nf_tables (NFT_MSG_...). */
void begin_nft(uint16_t message, uint16_t flags);

void end_message(void);

/* Adds an attribute. */
void put(uint16_t type, const void *value, size_t length);
void put_text(uint16_t type, const char *text);
void put_number(uint16_t type, uint32_t number);

/* Adds an attribute that holds a value of a register. */
void put_value(uint16_t type, const void *value, size_t length);

/* Begins and ends attributes that hold others. */
void open_nested(uint16_t type);
void close_nested(size_t levels);

/* Marks the batch as full. */
void refuse_batch(void);

bool is_batch_full(void);

/* Sends the batch, whose last message wants an acknowledgement. "did" completes the sentence of a problem: the kernel has not ... */
bool commit(const char *did, struct problem *why);

/* Asks for the object that two attributes with these texts name, and reads a number from its description. */
bool ask(uint16_t message, const uint16_t types[2], const char *const texts[2], uint16_t number, uint32_t *into, struct problem *why);

#endif
