package io.remora.config.model;

import java.util.List;

/**
 * The networks from which connections begin with a header of the PROXY protocol.
 *
 * @param from networks, one or more
 */
public record ProxyProtocolConfig(List<String> from) {}
