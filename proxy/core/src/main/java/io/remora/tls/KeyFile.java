package io.remora.tls;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a private key: PKCS#8 (RFC 5958), encrypted or not, and the older PKCS#1 (RFC 8017 A.1.2) and SEC 1 (RFC 5915), which
 * become PKCS#8.
 */
final class KeyFile {
    private static final byte[] ZERO = Der.element(Der.INTEGER, new byte[1]);
    private static final byte[] NULL = {5, 0};
    private static final byte[] RSA = {0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 1, 1, 1};
    private static final byte[] EC = {0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 2, 1};
    private static final byte[] ED25519 = {0x2b, 0x65, 0x70};
    private static final byte[] ED448 = {0x2b, 0x65, 0x71};
    private static final int SEC1_PARAMETERS = 0xa0;

    private KeyFile() {}

    /**
     * Reads the key, as PKCS#8 in DER.
     *
     * @param passPhrase null for none
     */
    static byte[] read(List<Pem> blocks, @Nullable String passPhrase) throws IOException {
        Pem key = only(blocks);
        boolean encrypted = key.label().equals("ENCRYPTED PRIVATE KEY");
        if (!encrypted && passPhrase != null) {
            throw new MaterialException("the key is not encrypted, but pass-phrase-file is set");
        }
        return switch (key.label()) {
            case "PRIVATE KEY" -> key.der();
            case "RSA PRIVATE KEY" -> wrap(Der.element(Der.OBJECT, RSA), NULL, key.der());
            case "EC PRIVATE KEY" -> wrap(Der.element(Der.OBJECT, EC), curveOf(key.der()), key.der());
            default -> decrypt(key, passPhrase);
        };
    }

    private static Pem only(List<Pem> blocks) throws MaterialException {
        Pem key = null;
        for (Pem block : blocks) {
            if (block.label().endsWith("PRIVATE KEY")) {
                if (key != null) {
                    throw new MaterialException("line " + block.line() + ": only one private key is allowed");
                }
                key = block;
            }
            if (block == key || block.label().equals("EC PARAMETERS")) {
                // the key has its parameters once more
                block.use();
            }
        }
        if (key == null) {
            throw new MaterialException("has no PEM block of a private key" + Pem.labels(blocks));
        }
        if (!List.of("PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY")
                .contains(key.label())) {
            throw new MaterialException("line " + key.line() + ": a key as " + key.label() + " is not supported");
        }
        return key;
    }

    private static byte[] decrypt(Pem key, @Nullable String passPhrase) throws IOException {
        if (passPhrase == null) {
            throw new MaterialException("the key is encrypted, expected a pass-phrase-file");
        }
        return EncryptedKey.decrypt(key.der(), passPhrase);
    }

    /** The first line of a file. */
    static String passPhrase(String path) throws IOException {
        String text = Pem.readText(path);
        return text.substring(0, Pem.endOfLine(text, 0));
    }

    private static byte[] wrap(byte[] algorithm, byte[] parameters, byte[] key) {
        byte[] identifier = Der.element(Der.SEQUENCE, algorithm, parameters);
        return Der.element(Der.SEQUENCE, ZERO, identifier, Der.element(Der.OCTET_STRING, key));
    }

    private static byte[] curveOf(byte[] sec1) throws TlsException {
        Der key = Der.of(sec1).expect(Der.SEQUENCE).inside().expect(Der.INTEGER).expect(Der.OCTET_STRING);
        if (key.next() != SEC1_PARAMETERS) {
            throw Der.malformed();
        }
        return key.content();
    }

    /** Algorithm of the key: {@code RSA}, {@code EC}, {@code Ed25519} or {@code Ed448}. */
    static String algorithmOf(byte[] pkcs8) throws IOException {
        Der key = Der.of(pkcs8).expect(Der.SEQUENCE).inside().expect(Der.INTEGER);
        byte[] algorithm = key.expect(Der.SEQUENCE).inside().expect(Der.OBJECT).content();
        key.expect(Der.OCTET_STRING);
        if (Arrays.equals(algorithm, RSA)) {
            return "RSA";
        }
        if (Arrays.equals(algorithm, EC)) {
            return "EC";
        }
        if (Arrays.equals(algorithm, ED25519)) {
            return "Ed25519";
        }
        if (Arrays.equals(algorithm, ED448)) {
            return "Ed448";
        }
        throw new MaterialException("unsupported key algorithm, expected RSA, EC, Ed25519 or Ed448");
    }
}
