package io.remora.tls;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A subject as one text in visible ASCII and spaces, without a quote, and with a backslash only before two hexadecimal
 * digits: it stays one value between quotes for any reader.
 *
 * <p>Spec: RFC 2253 and RFC 4514, of whose ways to escape a character it takes that of its octets in UTF-8.
 */
final class DistinguishedName {
    private static final int SET = 0x31;
    private static final int UTF8 = 0x0c;
    private static final int NUMERIC = 0x12;
    private static final int PRINTABLE = 0x13;
    private static final int TELETEX = 0x14;
    private static final int IA5 = 0x16;
    private static final int VISIBLE = 0x1a;
    private static final int BMP = 0x1e;
    private static final String HEX = "0123456789ABCDEF";
    private static final String SPECIAL = ",+\"\\<>;=#";

    /** Names of RFC 4514 3, each after its dotted number. */
    private static final String[] TYPES = {
        "2.5.4.3",
        "CN",
        "2.5.4.7",
        "L",
        "2.5.4.8",
        "ST",
        "2.5.4.10",
        "O",
        "2.5.4.11",
        "OU",
        "2.5.4.6",
        "C",
        "2.5.4.9",
        "STREET",
        "0.9.2342.19200300.100.1.25",
        "DC",
        "0.9.2342.19200300.100.1.1",
        "UID"
    };

    private DistinguishedName() {}

    /**
     * @param name what is inside the sequence, in DER
     */
    static String of(byte[] name) throws TlsException {
        List<String> parts = new ArrayList<>();
        Der der = Der.of(name);
        while (der.hasMore()) {
            parts.add(part(der.expect(SET).inside()));
        }
        StringBuilder text = new StringBuilder();
        for (int i = parts.size() - 1; i >= 0; i--) {
            text.append(text.length() == 0 ? "" : ",").append(parts.get(i));
        }
        return text.toString();
    }

    /** The attributes of one set, usually a single one. */
    private static String part(Der set) throws TlsException {
        StringBuilder text = new StringBuilder();
        while (set.hasMore()) {
            Der attribute = set.expect(Der.SEQUENCE).inside();
            text.append(text.length() == 0 ? "" : "+");
            text.append(type(attribute.expect(Der.OBJECT).content())).append('=');
            int tag = attribute.next();
            append(text, tag, attribute.content());
        }
        return text.toString();
    }

    private static String type(byte[] object) throws TlsException {
        String dotted = dotted(object);
        for (int i = 0; i < TYPES.length; i += 2) {
            if (TYPES[i].equals(dotted)) {
                return TYPES[i + 1];
            }
        }
        return dotted;
    }

    private static String dotted(byte[] object) throws TlsException {
        StringBuilder text = new StringBuilder();
        long number = 0;
        for (byte octet : object) {
            if (number > Long.MAX_VALUE >> 8) {
                throw Der.malformed();
            }
            number = number << 7 | octet & 0x7f;
            if (octet < 0) {
                continue;
            }
            if (text.length() == 0) {
                long first = Math.min(number / 40, 2);
                text.append(first);
                number -= first * 40;
            }
            text.append('.').append(number);
            number = 0;
        }
        return text.toString();
    }

    private static void append(StringBuilder text, int tag, byte[] content) {
        switch (tag) {
            case UTF8, NUMERIC, PRINTABLE, IA5, VISIBLE -> escape(text, content);
            case TELETEX -> escape(text, utf8(new String(content, StandardCharsets.ISO_8859_1)));
            case BMP -> escape(text, utf8(new String(content, StandardCharsets.UTF_16BE)));
            default -> {
                text.append('#');
                for (byte octet : Der.element(tag, content)) {
                    hex(text, octet);
                }
            }
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void escape(StringBuilder text, byte[] octets) {
        for (int i = 0; i < octets.length; i++) {
            char character = (char) (octets[i] & 0xff);
            boolean outerSpace = character == ' ' && (i == 0 || i == octets.length - 1);
            if (character < ' ' || character > '~' || outerSpace || SPECIAL.indexOf(character) >= 0) {
                text.append('\\');
                hex(text, octets[i]);
            } else {
                text.append(character);
            }
        }
    }

    private static void hex(StringBuilder text, byte octet) {
        text.append(HEX.charAt(octet >> 4 & 15)).append(HEX.charAt(octet & 15));
    }
}
