package io.remora.testkit;

/**
 * What a client of {@link PeerProgram} is asked for. It trusts {@code ca.crt} of its directory.
 *
 * @param port where the other side is, at 127.0.0.1
 * @param version the only one that it may speak, 1.2 or 1.3
 * @param host who the other side must be by its certificate
 * @param sni the name that it asks for; empty for none, where {@code host} must be an address
 * @param own the name of the certificate that it shows; empty for none
 */
public record PeerCall(int port, String version, String host, String sni, String own) {}
