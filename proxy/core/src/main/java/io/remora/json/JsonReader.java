package io.remora.json;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reader of JSON texts from a stream, one after the other and value by value. It keeps only the values that its caller
 * reads.
 *
 * <p>{@link #document} begins a text, whose one value is then read: an object by {@link #object} and {@link #name}
 * until that is null, an array by {@link #array} and {@link #item} until that is false, anything else by the method of
 * its type. {@link #skip} passes a value of no interest. Each method takes a null instead of a value, as writers of
 * JSON use it for a missing one.
 *
 * <p>Not thread safe. Cost: a buffer of 8 KiB; names that come again are the same object. Bounds: 64 levels, the octets
 * of a text, 64 KiB for a string that is kept. Spec: RFC 8259; of an object in which a name stands twice, both are
 * read.
 */
public final class JsonReader {
    private static final int MAX_DEPTH = 64;
    private static final int MAX_DIGITS = 18;

    private final JsonInput in;
    private final JsonText text;
    /** Set by level once a value precedes the next one. */
    private final boolean[] any = new boolean[MAX_DEPTH + 1];

    private int depth;

    /**
     * @param maxOctets of each text
     */
    public JsonReader(InputStream in, long maxOctets) {
        this.in = new JsonInput(in, maxOctets);
        this.text = new JsonText(this.in, JsonText.MAX_OCTETS);
    }

    /** Begins the next text, once the one before has been read to its end; false where the stream ends in its place. */
    public boolean document() throws IOException {
        if (depth != 0) {
            throw new IllegalStateException("a text is not read to its end");
        }
        in.begin();
        return in.peekBehindSpace() != JsonInput.END;
    }

    // ---- containers

    /** Enters an object; false for a null. */
    public boolean object() throws IOException {
        return enter('{', "an object");
    }

    /** Enters an array; false for a null. */
    public boolean array() throws IOException {
        return enter('[', "an array");
    }

    private boolean enter(char opening, String what) throws IOException {
        int octet = in.peekBehindSpace();
        if (octet == 'n') {
            literal("null");
            return false;
        }
        if (octet != opening) {
            throw expected(what);
        }
        in.pass();
        if (depth == MAX_DEPTH) {
            throw in.problem("more than " + MAX_DEPTH + " levels");
        }
        any[++depth] = false;
        return true;
    }

    /** The name of the next member, whose value follows; null at the end of the object, which is left. */
    public @Nullable String name() throws IOException {
        if (!member()) {
            return null;
        }
        String name = text.readName();
        colon();
        return name;
    }

    /** Tells if there is a further member; its name's opening quote has been passed then. */
    private boolean member() throws IOException {
        if (!more('}')) {
            return false;
        }
        if (in.peekBehindSpace() != '"') {
            throw expected("a name");
        }
        in.pass();
        return true;
    }

    private void colon() throws IOException {
        if (in.peekBehindSpace() != ':') {
            throw expected("a colon");
        }
        in.pass();
    }

    /** Tells if there is a further item, which follows; at the end the array is left. */
    public boolean item() throws IOException {
        return more(']');
    }

    private boolean more(char closing) throws IOException {
        int octet = in.peekBehindSpace();
        if (octet == closing) {
            in.pass();
            depth--;
            return false;
        }
        if (any[depth]) {
            if (octet != ',') {
                throw expected("a comma or an end");
            }
            in.pass();
        }
        any[depth] = true;
        return true;
    }

    // ---- values

    /** A string. */
    public @Nullable String text() throws IOException {
        int octet = in.peekBehindSpace();
        if (octet == 'n') {
            literal("null");
            return null;
        }
        if (octet != '"') {
            throw expected("a string");
        }
        in.pass();
        return text.read();
    }

    /** A number without a fraction and an exponent. */
    public long whole(long ifNull) throws IOException {
        int octet = in.peekBehindSpace();
        if (octet == 'n') {
            literal("null");
            return ifNull;
        }
        boolean negative = octet == '-';
        if (negative) {
            in.pass();
        }
        long number = digits();
        octet = in.peek();
        if (octet == '.' || octet == 'e' || octet == 'E') {
            throw expected("a whole number");
        }
        return negative ? -number : number;
    }

    /** Reads a whole number that may stand in quotes, as protobuf's JSON writes those of 64 bits. */
    public long quotedWhole(long ifNull) throws IOException {
        if (in.peekBehindSpace() != '"') {
            return whole(ifNull);
        }
        in.pass();
        long number = whole(ifNull);
        if (in.next() != '"') {
            throw expected("a whole number");
        }
        return number;
    }

    private long digits() throws IOException {
        long number = 0;
        int count = 0;
        for (int octet = in.peek(); octet >= '0' && octet <= '9'; octet = in.peek()) {
            if (count > 0 && number == 0 || count == MAX_DIGITS) {
                throw expected("a whole number");
            }
            number = number * 10 + octet - '0';
            count++;
            in.pass();
        }
        if (count == 0) {
            throw expected("a whole number");
        }
        return number;
    }

    public boolean flag(boolean ifNull) throws IOException {
        switch (in.peekBehindSpace()) {
            case 't' -> {
                literal("true");
                return true;
            }
            case 'f' -> {
                literal("false");
                return false;
            }
            case 'n' -> {
                literal("null");
                return ifNull;
            }
            default -> throw expected("true or false");
        }
    }

    // ---- what is not of interest

    /** Passes a value of any type. */
    public void skip() throws IOException {
        switch (in.peekBehindSpace()) {
            case '{' -> skipObject();
            case '[' -> skipArray();
            case '"' -> {
                in.pass();
                text.skip();
            }
            case 't' -> literal("true");
            case 'f' -> literal("false");
            case 'n' -> literal("null");
            default -> skipNumber();
        }
    }

    private void skipObject() throws IOException {
        object();
        while (member()) {
            text.skip();
            colon();
            skip();
        }
    }

    private void skipArray() throws IOException {
        array();
        while (item()) {
            skip();
        }
    }

    private void skipNumber() throws IOException {
        if (in.peek() == '-') {
            in.pass();
        }
        if (in.peek() == '0') {
            in.pass();
        } else {
            skipDigits();
        }
        if (in.peek() == '.') {
            in.pass();
            skipDigits();
        }
        int octet = in.peek();
        if (octet == 'e' || octet == 'E') {
            in.pass();
            octet = in.peek();
            if (octet == '+' || octet == '-') {
                in.pass();
            }
            skipDigits();
        }
    }

    private void skipDigits() throws IOException {
        int first = in.peek();
        if (first < '0' || first > '9') {
            throw expected("a value");
        }
        for (int octet = first; octet >= '0' && octet <= '9'; octet = in.peek()) {
            in.pass();
        }
    }

    private void literal(String word) throws IOException {
        for (int i = 0; i < word.length(); i++) {
            if (in.next() != word.charAt(i)) {
                throw expected(word);
            }
        }
    }

    private JsonException expected(String what) {
        return in.problem("expected " + what);
    }
}
