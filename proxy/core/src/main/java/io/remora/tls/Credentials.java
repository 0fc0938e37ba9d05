package io.remora.tls;

import io.remora.text.HostText;
import java.util.ArrayList;
import java.util.List;

/** A certificate with those above it, and its key, which has been checked to be the certificate's. Immutable. */
public final class Credentials {
    private final List<byte[]> chain;
    private final byte[] key;
    private final String keyAlgorithm;
    private final List<String> dnsNames;

    public Credentials(List<byte[]> chain, byte[] key, String keyAlgorithm, List<String> dnsNames) {
        this.chain = List.copyOf(chain);
        this.key = key.clone();
        this.keyAlgorithm = keyAlgorithm;
        List<String> answered = new ArrayList<>(dnsNames.size());
        for (String name : dnsNames) {
            answered.add(HostText.canonical(name));
        }
        this.dnsNames = List.copyOf(answered);
    }

    /** Certificates in DER, the own one first; one or more. */
    public List<byte[]> chain() {
        return chain;
    }

    /** The private key as PKCS#8 in DER, not encrypted. Nobody writes to it. */
    public byte[] key() {
        return key;
    }

    /** Algorithm of the key: {@code RSA}, {@code EC}, {@code Ed25519} or {@code Ed448}. */
    public String keyAlgorithm() {
        return keyAlgorithm;
    }

    /** Returns the DNS names of the own certificate in their canonical spelling, {@code *.} included: which SNI it answers. */
    public List<String> dnsNames() {
        return dnsNames;
    }
}
