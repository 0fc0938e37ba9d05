/*
 * Proves by behaviour, without any privilege, that connections of this network namespace are captured.
 */
#ifndef REMORA_VERIFY_H
#define REMORA_VERIFY_H

#include "rules.h"

/*
 * Connects to addresses that are not local, one of each address family that has a route, and expects each connection at the outbound port,
 * with its original destination. With an inbound port: expects that a connection to that port is left alone, as only rules with an inbound
 * chain do. No connection leaves the namespace where the rules hold, but the one to the inbound port, of which the first packet does.
 */
bool verify_capture(const struct rules *rules, int timeout_ms, struct problem *why);

#endif
