package io.remora.json;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whole JSON texts as trees of {@link Map}, {@link List}, {@link String}, {@link Long}, {@link Boolean},
 * {@link Verbatim} and null. The members of an object keep their order.
 *
 * <p>Owner: one thread. Bounds: 64 levels; the octets of a text bound all that it holds. A name that stands twice in an
 * object is refused. Spec: RFC 8259.
 */
public final class JsonTree {
    private static final int MAX_DEPTH = 64;
    private static final int MAX_WHOLE_DIGITS = 18;

    private final JsonInput in;
    private final JsonText text;
    private int depth;

    private JsonTree(byte[] source) {
        in = new JsonInput(new ByteArrayInputStream(source), source.length);
        text = new JsonText(in, Math.max(JsonText.MAX_OCTETS, source.length));
    }

    /** Returns the one value of a text; anything after it is an error. */
    public static @Nullable Object read(byte[] source) throws IOException {
        JsonTree tree = new JsonTree(source);
        Object value = tree.value();
        if (tree.in.peekBehindSpace() != JsonInput.END) {
            throw tree.in.problem("expected its end");
        }
        return value;
    }

    private @Nullable Object value() throws IOException {
        int octet = in.peekBehindSpace();
        return switch (octet) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> {
                in.pass();
                yield text.read();
            }
            case 't' -> literal("true", true);
            case 'f' -> literal("false", false);
            case 'n' -> literal("null", null);
            default -> number();
        };
    }

    private void enter() throws IOException {
        in.pass();
        if (++depth > MAX_DEPTH) {
            throw in.problem("more than " + MAX_DEPTH + " levels");
        }
    }

    /** Returns true if another member or item follows; passes the comma, or the closing bracket. */
    private boolean more(boolean first, char closing) throws IOException {
        int octet = in.peekBehindSpace();
        if (octet == closing) {
            in.pass();
            depth--;
            return false;
        }
        if (!first) {
            if (octet != ',') {
                throw in.problem("expected a comma or an end");
            }
            in.pass();
        }
        return true;
    }

    private Map<String, @Nullable Object> object() throws IOException {
        enter();
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        while (more(object.isEmpty(), '}')) {
            if (in.peekBehindSpace() != '"') {
                throw in.problem("expected a name");
            }
            in.pass();
            String name = text.readName();
            if (in.peekBehindSpace() != ':') {
                throw in.problem("expected a colon");
            }
            in.pass();
            if (object.containsKey(name)) {
                throw in.problem("a name that stands twice in an object");
            }
            object.put(name, value());
        }
        return object;
    }

    private List<@Nullable Object> array() throws IOException {
        enter();
        List<@Nullable Object> array = new ArrayList<>();
        while (more(array.isEmpty(), ']')) {
            array.add(value());
        }
        return array;
    }

    private @Nullable Object literal(String word, @Nullable Object value) throws IOException {
        for (int i = 0; i < word.length(); i++) {
            if (in.next() != word.charAt(i)) {
                throw in.problem("expected " + word);
            }
        }
        return value;
    }

    private Object number() throws IOException {
        StringBuilder number = new StringBuilder();
        if (in.peek() == '-') {
            take(number);
        }
        int first = in.peek();
        int whole = digits(number);
        if (first == '0' && whole > 1) {
            throw in.problem("expected a value");
        }
        boolean fraction = in.peek() == '.';
        if (fraction) {
            take(number);
            digits(number);
        }
        boolean exponent = (in.peek() | 0x20) == 'e';
        if (exponent) {
            take(number);
            if (in.peek() == '+' || in.peek() == '-') {
                take(number);
            }
            digits(number);
        }
        String text = number.toString();
        return fraction || exponent || whole > MAX_WHOLE_DIGITS || text.equals("-0")
                ? new Verbatim(text)
                : (Object) Long.valueOf(text);
    }

    private int digits(StringBuilder number) throws IOException {
        int before = number.length();
        while (in.peek() >= '0' && in.peek() <= '9') {
            take(number);
        }
        if (number.length() == before) {
            throw in.problem("expected a value");
        }
        return number.length() - before;
    }

    private void take(StringBuilder number) throws IOException {
        number.append((char) in.next());
    }
}
