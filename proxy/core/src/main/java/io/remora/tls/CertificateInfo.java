package io.remora.tls;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;

/**
 * A certificate as far as it can be read without a library: its validity, its subject and its issuer. Immutable.
 *
 * <p>Spec: RFC 5280 4.1.
 */
public final class CertificateInfo {
    private static final int VERSION = 0xa0;
    private static final long DAY_MS = 86_400_000L;

    private final byte[] issuer;
    private final byte[] subject;
    private final long notBeforeMs;
    private final long notAfterMs;
    private final SubjectNames names;

    private CertificateInfo(byte[] issuer, byte[] subject, long notBeforeMs, long notAfterMs, SubjectNames names) {
        this.issuer = issuer;
        this.subject = subject;
        this.notBeforeMs = notBeforeMs;
        this.notAfterMs = notAfterMs;
        this.names = names;
    }

    /**
     * @param certificate in DER
     * @throws TlsException where it is none
     */
    public static CertificateInfo of(byte[] certificate) throws TlsException {
        Der outer = Der.of(certificate).expect(Der.SEQUENCE);
        Der tbs = outer.inside().expect(Der.SEQUENCE).inside();
        if (outer.hasMore()) {
            throw Der.malformed();
        }
        if (tbs.peek() == VERSION) {
            tbs.next();
        }
        tbs.expect(Der.INTEGER).expect(Der.SEQUENCE);
        byte[] issuer = tbs.expect(Der.SEQUENCE).content();
        Der validity = tbs.expect(Der.SEQUENCE).inside();
        long notBeforeMs = time(validity);
        long notAfterMs = time(validity);
        byte[] subject = tbs.expect(Der.SEQUENCE).content();
        return new CertificateInfo(issuer, subject, notBeforeMs, notAfterMs, SubjectNames.of(certificate));
    }

    static boolean isTime(int tag) {
        return tag == Der.UTC_TIME || tag == Der.GENERALIZED_TIME;
    }

    /** The next element, which must be one of the two kinds of time; since 1970. */
    static long time(Der validity) throws TlsException {
        int tag = validity.next();
        String text = new String(validity.content(), ISO_8859_1);
        int yearDigits = tag == Der.GENERALIZED_TIME ? 4 : 2;
        if (!isTime(tag) || text.length() != yearDigits + 11 || !text.endsWith("Z")) {
            throw Der.malformed();
        }
        int year = number(text, 0, yearDigits);
        if (tag == Der.UTC_TIME) {
            year += year < 50 ? 2000 : 1900;
        }
        long days = days(year, number(text, yearDigits, 2), number(text, yearDigits + 2, 2));
        long hours = days * 24 + number(text, yearDigits + 4, 2);
        return ((hours * 60 + number(text, yearDigits + 6, 2)) * 60 + number(text, yearDigits + 8, 2)) * 1_000;
    }

    private static int number(String text, int from, int digits) throws TlsException {
        int number = 0;
        for (int i = from; i < from + digits; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                throw Der.malformed();
            }
            number = number * 10 + digit;
        }
        return number;
    }

    /** Days since 1970-01-01 of the Gregorian calendar, whose years are counted from March here. */
    private static long days(long year, long month, long day) {
        long years = month > 2 ? year : year - 1;
        long monthsSinceMarch = (month + 9) % 12;
        return 365 * years
                + years / 4
                - years / 100
                + years / 400
                + (153 * monthsSinceMarch + 2) / 5
                + day
                - 1
                - 719_468;
    }

    /** Content of the subject's name, in DER. */
    byte[] subject() {
        return subject;
    }

    public SubjectNames names() {
        return names;
    }

    public long notBeforeMs() {
        return notBeforeMs;
    }

    public long notAfterMs() {
        return notAfterMs;
    }

    /** Whole days until it expires, or negative those since. */
    public long daysLeft(long nowMs) {
        return (notAfterMs - nowMs) / DAY_MS;
    }

    public boolean isValidAt(long nowMs) {
        return nowMs >= notBeforeMs && nowMs <= notAfterMs;
    }

    /** Returns whether {@code other} may be its issuer, by the names of both. */
    public boolean isIssuedBy(CertificateInfo other) {
        return Arrays.equals(issuer, other.subject);
    }
}
