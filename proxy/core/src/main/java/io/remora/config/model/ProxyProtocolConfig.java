package io.remora.config.model;

import java.util.List;

/**
 * Whose connections begin with a header of the PROXY protocol.
 *
 * @param from networks, one or more
 */
public record ProxyProtocolConfig(List<String> from) {}
