package io.remora.dns;

/** Types of records in questions, or in the answers to them. */
public enum DnsType {
    A(1),
    CNAME(5),
    AAAA(28),
    SRV(33);

    final int code;

    DnsType(int code) {
        this.code = code;
    }
}
