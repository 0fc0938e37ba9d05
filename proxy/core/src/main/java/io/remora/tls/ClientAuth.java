package io.remora.tls;

import java.util.List;

/**
 * What a listener wants of its clients' certificates. Immutable.
 *
 * @param required whether a client without a certificate is refused
 * @param trust certificates in DER of whom a client's may come from; one or more
 */
public record ClientAuth(boolean required, List<byte[]> trust) {}
