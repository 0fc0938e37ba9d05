package io.remora.tls;

import java.util.Arrays;

/**
 * A list of revoked certificates, as far as it can be read without a library: its issuer, its validity, and how many it
 * has. Immutable.
 *
 * <p>Spec: RFC 5280 5.1. Bounds: complete lists of one authority's certificates. A list of a part says so in an
 * extension, which should be critical. Such a list, and one with any critical extension, is refused: a reader that
 * ignores the extension takes a revoked certificate for a good one.
 */
final class RevocationList {
    private static final long DAY_MS = 86_400_000L;
    private static final int EXTENSIONS = 0xa0;
    private static final byte[] DELTA = {0x55, 0x1d, 0x1b};
    private static final byte[] PART = {0x55, 0x1d, 0x1c};

    private final byte[] issuer;
    private final String issuerText;
    private final long thisUpdateMs;
    private final long nextUpdateMs;
    private final int entries;

    private RevocationList(byte[] issuer, long thisUpdateMs, long nextUpdateMs, int entries) throws TlsException {
        this.issuer = issuer;
        this.issuerText = DistinguishedName.of(issuer);
        this.thisUpdateMs = thisUpdateMs;
        this.nextUpdateMs = nextUpdateMs;
        this.entries = entries;
    }

    /**
     * @param list in DER
     * @throws TlsException where it is none
     * @throws MaterialException where it is one that cannot be gone by
     */
    static RevocationList of(byte[] list) throws TlsException, MaterialException {
        Der outer = Der.of(list).expect(Der.SEQUENCE);
        Der tbs = outer.inside().expect(Der.SEQUENCE).inside();
        if (outer.hasMore()) {
            throw Der.malformed();
        }
        if (tbs.peek() == Der.INTEGER) {
            tbs.next();
        }
        byte[] issuer = tbs.expect(Der.SEQUENCE).expect(Der.SEQUENCE).content();
        long thisUpdateMs = CertificateInfo.time(tbs);
        if (!CertificateInfo.isTime(tbs.peek())) {
            throw new MaterialException("has no nextUpdate, so that it would never expire");
        }
        long nextUpdateMs = CertificateInfo.time(tbs);
        int entries =
                tbs.peek() == Der.SEQUENCE ? entries(tbs.expect(Der.SEQUENCE).inside()) : 0;
        if (tbs.peek() == EXTENSIONS) {
            judge(tbs.expect(EXTENSIONS).inside().expect(Der.SEQUENCE).inside());
        }
        return new RevocationList(issuer, thisUpdateMs, nextUpdateMs, entries);
    }

    private static int entries(Der all) throws TlsException, MaterialException {
        int entries = 0;
        while (all.hasMore()) {
            Der entry = all.expect(Der.SEQUENCE).inside().expect(Der.INTEGER);
            CertificateInfo.time(entry);
            if (entry.hasMore()) {
                judge(entry.expect(Der.SEQUENCE).inside());
            }
            entries++;
        }
        return entries;
    }

    private static void judge(Der extensions) throws TlsException, MaterialException {
        while (extensions.hasMore()) {
            Der extension = extensions.expect(Der.SEQUENCE).inside();
            byte[] kind = extension.expect(Der.OBJECT).content();
            boolean isPart = Arrays.equals(kind, DELTA) || Arrays.equals(kind, PART);
            if (isCritical(extension) || isPart) {
                throw new MaterialException(
                        (isPart ? "is partial" : "has an unknown critical extension") + ", expected a complete list");
            }
        }
    }

    private static boolean isCritical(Der extension) throws TlsException {
        if (extension.peek() != Der.BOOLEAN) {
            return false;
        }
        byte[] value = extension.expect(Der.BOOLEAN).content();
        if (value.length != 1) {
            throw Der.malformed();
        }
        return value[0] != 0;
    }

    boolean isOf(CertificateInfo authority) {
        return Arrays.equals(issuer, authority.subject());
    }

    long nextUpdateMs() {
        return nextUpdateMs;
    }

    boolean isCurrentAt(long nowMs) {
        return nowMs >= thisUpdateMs && nowMs <= nextUpdateMs;
    }

    /** Returns a description for logs and for checks of a configuration. */
    String describe(long nowMs) {
        long days = Math.abs(nextUpdateMs - nowMs) / DAY_MS;
        String count = days + (days == 1 ? " day" : " days");
        String when = nowMs < thisUpdateMs
                ? "not valid yet"
                : nowMs > nextUpdateMs ? "outdated since " + count : "next update in " + count;
        return issuerText + ": " + entries + (entries == 1 ? " entry; " : " entries; ") + when;
    }
}
