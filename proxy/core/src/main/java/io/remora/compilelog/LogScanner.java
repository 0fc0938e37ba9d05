package io.remora.compilelog;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Scanner of a compilation log: its elements one by one, without their text and without the elements that nothing
 * needs.
 *
 * <p>The log is only almost XML. Compile threads write some values without escapes, the log of a killed VM ends
 * anywhere, and the end of a thread's log is quoted as CDATA. So text and unneeded elements are skipped, and only
 * needed elements are parsed.
 *
 * <p>Bounds: a buffer of 64 KiB, and {@link LogAttributes}. Source: JDK 17, {@code utilities/xmlstream.cpp} and {@code
 * compiler/compileLog.cpp}.
 */
final class LogScanner {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};
    private static final String CDATA = "CDATA[";
    /** The longest name of an entity, {@code quot} or {@code apos}. */
    private static final int MAX_ENTITY = 4;

    private final InputStream in;
    private final String file;
    private final LogAttributes attributes = new LogAttributes();
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final byte[] word = new byte[LogElement.MAX_LENGTH];
    private int at;
    private int end;
    private long passed;
    private long line = 1;
    private @Nullable LogElement first;
    private boolean isCut;

    LogScanner(InputStream in, String file) {
        this.in = in;
        this.file = file;
    }

    /** Returns the next needed element, null at the end of the input, even if it lies within an element. */
    @Nullable
    LogElement next() throws IOException {
        try {
            while (passText()) {
                LogElement element = markup(need());
                if (element != null) {
                    return element;
                }
            }
        } catch (EOFException e) {
            isCut = true;
        }
        if (first == null) {
            throw malformed("no log of -XX:+LogCompilation: the file has no element of one");
        }
        return null;
    }

    /** Returns whether the input ended within an element. */
    boolean isCut() {
        return isCut;
    }

    long bytes() {
        return passed + at;
    }

    LogAttributes attributes() {
        return attributes;
    }

    /** Returns the value of an attribute, {@code missing} if there is none. */
    String text(String name, String missing) {
        String text = attributes.text(name);
        return text == null ? missing : text;
    }

    /** Returns a whole number, {@code missing} if there is none. */
    long number(String name, long missing) throws IOException {
        return number(name, 0, missing);
    }

    /** Returns the time of the element in milliseconds since the start of the VM, {@code missing} if it has none. */
    long stampMs(long missing) throws IOException {
        return Math.max(0, number("stamp", 3, missing));
    }

    private long number(String name, int decimals, long missing) throws IOException {
        try {
            return attributes.number(name, decimals, missing);
        } catch (NumberFormatException e) {
            throw malformed(name + " is not a number");
        }
    }

    MalformedLogException malformed(String problem) {
        return new MalformedLogException(file, line, problem);
    }

    /** Passes text and the next {@code <}; false at the end. */
    private boolean passText() throws IOException {
        for (; ; ) {
            int from = at;
            while (at < end) {
                byte octet = buffer[at++];
                if (octet == '<') {
                    return true;
                }
                if (octet == '\n') {
                    line++;
                } else if (first == null && octet != ' ' && octet != '\r' && octet != '\t' && !isMark(from, octet)) {
                    throw malformed("no log of -XX:+LogCompilation: it begins with text");
                }
            }
            if (!fill()) {
                return false;
            }
        }
    }

    /** An editor's mark at the start of the file. */
    private boolean isMark(int from, byte octet) {
        int place = at - 1;
        return passed == 0 && from == 0 && place < BYTE_ORDER_MARK.length && octet == BYTE_ORDER_MARK[place];
    }

    private boolean fill() throws IOException {
        passed += end;
        at = 0;
        end = Math.max(0, in.read(buffer));
        return end > 0;
    }

    private int need() throws IOException {
        if (at == end && !fill()) {
            throw new EOFException();
        }
        int octet = buffer[at++];
        if (octet == '\n') {
            line++;
        }
        return octet;
    }

    /** Reads an element after its {@code <}; null for an end tag, and for an element that is not needed. */
    private @Nullable LogElement markup(int octet) throws IOException {
        if (octet == '/' || octet == '?') {
            passElement();
            return null;
        }
        if (octet == '!') {
            passDeclaration();
            return null;
        }
        int length = 0;
        int next = octet;
        while (isName(next)) {
            if (length < word.length) {
                word[length] = (byte) next;
            }
            length++;
            next = need();
        }
        if (length == 0 || !isSpace(next) && next != '>' && next != '/') {
            throw malformed("a '<' that begins no element");
        }
        LogElement element = length > word.length ? null : LogElement.of(word, length);
        if (first == null) {
            begin(element);
        }
        if (element == null) {
            if (next != '>') {
                passElement();
            }
            return null;
        }
        readAttributes(next);
        return element;
    }

    private void begin(@Nullable LogElement element) throws IOException {
        if (element != LogElement.HOTSPOT_LOG && element != LogElement.START_COMPILE_THREAD) {
            throw malformed("no log of -XX:+LogCompilation: it begins with another element than hotspot_log");
        }
        first = element;
    }

    // values have no '>', even those that are written without quoting
    private void passElement() throws IOException {
        while (need() != '>') {
            // the next one
        }
    }

    /** Passes a comment, or the brackets around the rest of a thread's log, whose elements are read as any others. */
    private void passDeclaration() throws IOException {
        int octet = need();
        if (octet == '[') {
            for (int i = 0; i < CDATA.length(); i++) {
                if (need() != CDATA.charAt(i)) {
                    throw malformed("a '<![' without CDATA");
                }
            }
        } else if (octet == '-') {
            int dashes = 0;
            for (octet = need(); octet != '>' || dashes < 2; octet = need()) {
                dashes = octet == '-' ? dashes + 1 : 0;
            }
        } else {
            passElement();
        }
    }

    private void readAttributes(int delimiter) throws IOException {
        attributes.clear();
        int octet = delimiter;
        for (; ; ) {
            while (isSpace(octet)) {
                octet = need();
            }
            if (octet == '/') {
                octet = need();
                if (octet != '>') {
                    throw malformed("a '/' within an element");
                }
            }
            if (octet == '>') {
                return;
            }
            readAttribute(octet);
            octet = need();
        }
    }

    private void readAttribute(int start) throws IOException {
        int octet = start;
        while (octet != '=') {
            if (!isName(octet)) {
                throw malformed("an attribute without a value");
            }
            put(octet);
            octet = need();
        }
        int quote = need();
        if (quote != '\'' && quote != '"') {
            throw malformed("a value without quotes");
        }
        attributes.beginValue();
        for (octet = need(); octet != quote; octet = need()) {
            if (octet == '<') {
                throw malformed("a '<' within a value");
            }
            put(octet == '&' ? entity() : octet);
        }
        attributes.endValue();
    }

    private void put(int octet) throws IOException {
        if (!attributes.hasRoom()) {
            throw malformed("an element of more than " + LogAttributes.MAX_BYTES + " bytes or "
                    + LogAttributes.MAX_COUNT + " attributes");
        }
        attributes.put(octet);
    }

    /** The five that HotSpot writes. */
    private int entity() throws IOException {
        int length = 0;
        for (int octet = need(); octet != ';'; octet = need()) {
            if (length == MAX_ENTITY) {
                throw malformed("an unknown entity");
            }
            word[length++] = (byte) octet;
        }
        String name = new String(word, 0, length, StandardCharsets.ISO_8859_1);
        return switch (name) {
            case "lt" -> '<';
            case "gt" -> '>';
            case "amp" -> '&';
            case "apos" -> '\'';
            case "quot" -> '"';
            default -> throw malformed("an unknown entity");
        };
    }

    private static boolean isSpace(int octet) {
        return octet == ' ' || octet == '\n' || octet == '\r' || octet == '\t';
    }

    private static boolean isName(int octet) {
        return octet >= 'a' && octet <= 'z'
                || octet >= 'A' && octet <= 'Z'
                || octet >= '0' && octet <= '9'
                || octet == '_'
                || octet == '-'
                || octet == '.';
    }
}
