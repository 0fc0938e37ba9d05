package io.remora.webhook;

import io.remora.tls.Der;
import io.remora.tls.PemText;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;

/**
 * Issues the certificates of the webhook: an authority of its own, and by it the certificate that the server shows. The
 * JDK reads X.509 but has no public way to write it.
 *
 * <p>Owner: one thread. Spec: RFC 5280; keys are ECDSA on P-256 (RFC 5480, RFC 5758).
 */
final class Issuer {
    /** Life of an authority. */
    static final long AUTHORITY_MS = 365L * 86_400_000;
    /** Life of a certificate that the server shows. */
    static final long SERVING_MS = 30L * 86_400_000;
    /** Time by which validity begins earlier, for API servers whose clocks are behind. */
    static final long BACKDATED_MS = 300_000;

    private static final int SERIAL_BITS = 128;
    private static final int KEY_ID_OCTETS = 20;
    private static final long FIRST_GENERALIZED_YEAR = 2050;

    private static final byte[] ECDSA_SHA256 = {0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 4, 3, 2};
    private static final byte[] COMMON_NAME = {0x55, 4, 3};
    private static final byte[] SUBJECT_KEY_ID = {0x55, 0x1d, 14};
    private static final byte[] KEY_USAGE = {0x55, 0x1d, 15};
    private static final byte[] SUBJECT_NAMES = {0x55, 0x1d, 17};
    private static final byte[] BASIC_CONSTRAINTS = {0x55, 0x1d, 19};
    private static final byte[] AUTHORITY_KEY_ID = {0x55, 0x1d, 35};
    private static final byte[] EXTENDED_USAGE = {0x55, 0x1d, 37};
    private static final byte[] SERVER_AUTH = {0x2b, 6, 1, 5, 5, 7, 3, 1};
    private static final byte[] TRUE = Der.element(Der.BOOLEAN, new byte[] {(byte) 0xff});
    /** keyCertSign and cRLSign. */
    private static final byte[] SIGNS_CERTIFICATES = {1, 0x06};
    /** digitalSignature. */
    private static final byte[] SIGNS = {7, (byte) 0x80};

    private static final int DNS_NAME = 0x82;
    private static final int VERSION = 0xa0;
    private static final int EXTENSIONS = 0xa3;
    private static final int KEY_ID = 0x80;

    /** Issues an authority, by itself. */
    Certificate authority(long nowMs) throws IOException {
        try {
            KeyPair pair = newPair();
            BigInteger serial = serial(pair.getPublic());
            // two authorities that follow each other have different names, so that a chain shows which one it is of
            byte[] subject = name(
                    "remora-injector CA " + serial.shiftRight(SERIAL_BITS - 32).toString(16));
            byte[] keyId = keyId(pair.getPublic());
            byte[] extensions = Der.element(
                    Der.SEQUENCE,
                    extension(BASIC_CONSTRAINTS, true, Der.element(Der.SEQUENCE, TRUE, integer(BigInteger.ZERO))),
                    extension(KEY_USAGE, true, Der.element(Der.BIT_STRING, SIGNS_CERTIFICATES)),
                    extension(SUBJECT_KEY_ID, false, Der.element(Der.OCTET_STRING, keyId)));
            byte[] body = body(serial, subject, nowMs, AUTHORITY_MS, subject, pair.getPublic(), extensions);
            return signed(body, pair.getPrivate(), pair.getPrivate());
        } catch (GeneralSecurityException e) {
            throw new IOException("the authority cannot be issued: " + e.getMessage(), e);
        }
    }

    /**
     * Issues the certificate of a server.
     *
     * @param authority that issues it, the first of its bundle
     * @param names DNS names of the server, the first of which is its common name
     */
    Certificate serving(Certificate authority, List<String> names, long nowMs) throws IOException {
        try {
            byte[] above = authority.der().get(0);
            PrivateKey key =
                    KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(PemText.key(authority.key())));
            KeyPair pair = newPair();
            byte[][] alternatives = new byte[names.size()][];
            for (int i = 0; i < alternatives.length; i++) {
                alternatives[i] = Der.element(DNS_NAME, names.get(i).getBytes(StandardCharsets.US_ASCII));
            }
            byte[] authorityId = Der.element(Der.SEQUENCE, Der.element(KEY_ID, keyId(keyOf(above))));
            byte[] extensions = Der.element(
                    Der.SEQUENCE,
                    extension(BASIC_CONSTRAINTS, true, Der.element(Der.SEQUENCE)),
                    extension(KEY_USAGE, true, Der.element(Der.BIT_STRING, SIGNS)),
                    extension(EXTENDED_USAGE, false, Der.element(Der.SEQUENCE, Der.element(Der.OBJECT, SERVER_AUTH))),
                    extension(SUBJECT_NAMES, false, Der.element(Der.SEQUENCE, alternatives)),
                    extension(SUBJECT_KEY_ID, false, Der.element(Der.OCTET_STRING, keyId(pair.getPublic()))),
                    extension(AUTHORITY_KEY_ID, false, authorityId));
            byte[] issuer = Der.element(Der.SEQUENCE, subjectOf(above));
            byte[] body = body(
                    serial(pair.getPublic()),
                    issuer,
                    nowMs,
                    SERVING_MS,
                    name(names.get(0)),
                    pair.getPublic(),
                    extensions);
            return signed(body, key, pair.getPrivate());
        } catch (GeneralSecurityException e) {
            throw new IOException("the serving certificate cannot be issued: " + e.getMessage(), e);
        }
    }

    // ---- parts of a certificate

    private KeyPair newPair() throws GeneralSecurityException {
        KeyPairGenerator pairs = KeyPairGenerator.getInstance("EC");
        pairs.initialize(new ECGenParameterSpec("secp256r1"));
        return pairs.generateKeyPair();
    }

    /** Returns 128 bits that nobody can foresee, as the key is random and used once. */
    private static BigInteger serial(PublicKey key) throws GeneralSecurityException {
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(key.getEncoded());
        // the highest bit is set, so that each has as many octets
        byte[] bits = Arrays.copyOfRange(hash, hash.length - SERIAL_BITS / Byte.SIZE, hash.length);
        return new BigInteger(1, bits).setBit(SERIAL_BITS - 1);
    }

    private static byte[] body(
            BigInteger serial,
            byte[] issuer,
            long nowMs,
            long lifeMs,
            byte[] subject,
            PublicKey key,
            byte[] extensions) {
        long fromMs = nowMs - BACKDATED_MS;
        return Der.element(
                Der.SEQUENCE,
                Der.element(VERSION, integer(BigInteger.TWO)),
                integer(serial),
                algorithm(),
                issuer,
                Der.element(Der.SEQUENCE, time(fromMs), time(nowMs + lifeMs)),
                subject,
                key.getEncoded(),
                Der.element(EXTENSIONS, extensions));
    }

    private static Certificate signed(byte[] body, PrivateKey issuer, PrivateKey own) throws GeneralSecurityException {
        Signature signing = Signature.getInstance("SHA256withECDSA");
        signing.initSign(issuer);
        signing.update(body);
        byte[] signature = Der.element(Der.BIT_STRING, new byte[1], signing.sign());
        byte[] certificate = Der.element(Der.SEQUENCE, body, algorithm(), signature);
        return new Certificate(
                PemText.write(PemText.CERTIFICATE, certificate), PemText.write(PemText.PRIVATE_KEY, own.getEncoded()));
    }

    private static byte[] algorithm() {
        return Der.element(Der.SEQUENCE, Der.element(Der.OBJECT, ECDSA_SHA256));
    }

    private static byte[] integer(BigInteger value) {
        return Der.element(Der.INTEGER, value.toByteArray());
    }

    private static byte[] name(String common) {
        byte[] text = Der.element(Der.UTF8_STRING, common.getBytes(StandardCharsets.UTF_8));
        byte[] attribute = Der.element(Der.SEQUENCE, Der.element(Der.OBJECT, COMMON_NAME), text);
        return Der.element(Der.SEQUENCE, Der.element(Der.SET, attribute));
    }

    private static byte[] extension(byte[] id, boolean critical, byte[] value) {
        byte[] octets = Der.element(Der.OCTET_STRING, value);
        byte[] object = Der.element(Der.OBJECT, id);
        return critical ? Der.element(Der.SEQUENCE, object, TRUE, octets) : Der.element(Der.SEQUENCE, object, octets);
    }

    private static byte[] time(long ms) {
        LocalDateTime time = LocalDateTime.ofEpochSecond(Math.floorDiv(ms, 1_000L), 0, ZoneOffset.UTC);
        boolean generalized = time.getYear() >= FIRST_GENERALIZED_YEAR;
        StringBuilder text = new StringBuilder(16);
        int year = time.getYear();
        if (generalized) {
            twoDigits(text, year / 100);
        }
        twoDigits(text, year % 100);
        twoDigits(text, time.getMonthValue());
        twoDigits(text, time.getDayOfMonth());
        twoDigits(text, time.getHour());
        twoDigits(text, time.getMinute());
        twoDigits(text, time.getSecond());
        byte[] octets = text.append('Z').toString().getBytes(StandardCharsets.US_ASCII);
        return Der.element(generalized ? Der.GENERALIZED_TIME : Der.UTC_TIME, octets);
    }

    private static void twoDigits(StringBuilder text, int number) {
        text.append((char) ('0' + number / 10)).append((char) ('0' + number % 10));
    }

    /** Hash of a public key, SubjectPublicKeyInfo in DER (RFC 7093). */
    private static byte[] keyId(PublicKey key) throws GeneralSecurityException {
        return keyId(key.getEncoded());
    }

    private static byte[] keyId(byte[] keyInfo) throws GeneralSecurityException {
        return Arrays.copyOf(MessageDigest.getInstance("SHA-256").digest(keyInfo), KEY_ID_OCTETS);
    }

    // ---- parts of the authority's certificate

    private static byte[] keyOf(byte[] certificate) throws IOException {
        Der body = bodyOf(certificate);
        body.expect(Der.SEQUENCE).expect(Der.SEQUENCE).expect(Der.SEQUENCE).expect(Der.SEQUENCE);
        return Der.element(Der.SEQUENCE, body.expect(Der.SEQUENCE).content());
    }

    private static byte[] subjectOf(byte[] certificate) throws IOException {
        return bodyOf(certificate)
                .expect(Der.SEQUENCE)
                .expect(Der.SEQUENCE)
                .expect(Der.SEQUENCE)
                .expect(Der.SEQUENCE)
                .content();
    }

    /** Steps behind the serial number. */
    private static Der bodyOf(byte[] certificate) throws IOException {
        Der body = Der.of(certificate)
                .expect(Der.SEQUENCE)
                .inside()
                .expect(Der.SEQUENCE)
                .inside();
        return body.expect(VERSION).expect(Der.INTEGER);
    }
}
