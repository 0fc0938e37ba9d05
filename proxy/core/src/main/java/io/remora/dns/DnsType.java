package io.remora.dns;

/** The types of records that are asked for, or that stand in answers to such questions. */
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
