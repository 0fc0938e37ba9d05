package io.remora.feature.trust;

import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.text.IpAddress;

/**
 * Hops in a request, from the nearest on. The list in X-Forwarded-For or Forwarded is read from its end, so that no
 * element that a stranger has put before can change the result.
 *
 * <p>Owner: an event loop. Cost: no allocation but for {@link #text}, and only the wanted elements are read. Spec: RFC
 * 7239 4 and 6 for Forwarded; X-Forwarded-For has none, and is a list of addresses, an IPv6 address with or without
 * brackets, each perhaps with a port. Anything else is no address, {@code unknown} and obfuscated names among it.
 */
final class HopList {
    private static final byte[] FOR = {'f', 'o', 'r'};
    private static final int MAX_PORT_DIGITS = 5;

    private final FieldName name;
    private final boolean quotes;
    private final IpAddress address = new IpAddress();
    private Fields fields = new Fields();
    private byte[] octets = Octets.NONE;
    /** The line that is being read, -1 after the last. */
    private int line;
    /** Start of the part of the line that has been read. */
    private int read;
    /** The current element; then the part of it that names the hop. */
    private int from;

    private int to;

    HopList(boolean forwarded) {
        this.name = forwarded ? FieldName.FORWARDED : FieldName.X_FORWARDED_FOR;
        this.quotes = forwarded;
    }

    /** Starts at the end of these fields' list. */
    void begin(Fields of) {
        fields = of;
        octets = of.array();
        line = of.contains(name) ? of.size() : -1;
        nextLine();
    }

    private void nextLine() {
        do {
            line--;
        } while (line >= 0 && !fields.isNamed(line, name));
        read = line < 0 ? 0 : fields.valueEnd(line);
    }

    /**
     * Goes on to the element before.
     *
     * @return whether there is one that is whole
     */
    boolean next() {
        if (line < 0) {
            return false;
        }
        int start = fields.valueStart(line);
        int at = startOfElement(start, read);
        if (at < start) {
            // a quoted string that nothing opens: nobody can tell how many elements this was
            line = -1;
            return false;
        }
        from = Octets.endOfBlanks(octets, at, read);
        to = Octets.startOfBlanks(octets, from, read);
        if (at == start) {
            nextLine();
        } else {
            read = at - 1;
        }
        return true;
    }

    /**
     * Returns the start of the element that ends at {@code end}; before {@code start} where a quoted string is not
     * whole.
     */
    private int startOfElement(int start, int end) {
        boolean quoted = false;
        int at = end;
        while (at > start && (quoted || octets[at - 1] != ',')) {
            at--;
            quoted ^= quotes && octets[at] == '"' && !isEscaped(start, at);
        }
        return quoted ? start - 1 : at;
    }

    private boolean isEscaped(int start, int at) {
        int slash = at;
        while (slash > start && octets[slash - 1] == '\\') {
            slash--;
        }
        return (at - slash & 1) != 0;
    }

    /** Tells if the element names an address, which {@link #address} and {@link #text} then return. */
    boolean isAddress() {
        if (quotes && !narrowToNode()) {
            return false;
        }
        return from < to && (octets[from] == '[' ? isBracketed() : isBare());
    }

    // of the pairs of an element, the value of the only "for", without its quotes
    private boolean narrowToNode() {
        int nodeFrom = -1;
        int nodeTo = -1;
        int at = from;
        while (at < to) {
            int equals = Octets.endOfToken(octets, at, to);
            if (equals == at || equals == to || octets[equals] != '=') {
                return false;
            }
            int end = endOfValue(equals + 1);
            if (end < 0) {
                return false;
            }
            if (Octets.equalsIgnoreCase(octets, at, equals, FOR)) {
                if (nodeFrom >= 0) {
                    return false;
                }
                int quote = octets[equals + 1] == '"' ? 1 : 0;
                nodeFrom = equals + 1 + quote;
                nodeTo = end - quote;
            }
            at = end < to ? Octets.endOfBlanks(octets, end + 1, to) : to;
        }
        from = nodeFrom;
        to = nodeTo;
        return nodeFrom >= 0;
    }

    /** The end of a token or a quoted string, at which the element must end, or the pair; -1 where it does not. */
    private int endOfValue(int start) {
        int end;
        if (start < to && octets[start] == '"') {
            end = start + 1;
            while (end < to && octets[end] != '"') {
                end += octets[end] == '\\' ? 2 : 1;
            }
            end++;
        } else {
            end = Octets.endOfToken(octets, start, to);
        }
        boolean ends = end == to || end < to && octets[end] == ';';
        return end > start && ends ? end : -1;
    }

    private boolean isBracketed() {
        int end = from + 1;
        int colons = 0;
        while (end < to && octets[end] != ']') {
            colons += octets[end++] == ':' ? 1 : 0;
        }
        if (end >= to || colons == 0 || !isPort(end + 1)) {
            return false;
        }
        from++;
        to = end;
        return address.parse(octets, from, to);
    }

    private boolean isBare() {
        int colon = -1;
        int colons = 0;
        for (int i = from; i < to; i++) {
            if (octets[i] == ':') {
                colon = i;
                colons++;
            }
        }
        if (colons == 1) {
            if (!isPort(colon)) {
                return false;
            }
            to = colon;
        }
        // RFC 7239 6: an IPv6 address is in brackets
        return (colons < 2 || !quotes) && address.parse(octets, from, to);
    }

    /** Tells if the rest of the element is empty, or a colon and a port, which Forwarded may give another name. */
    private boolean isPort(int at) {
        if (at == to) {
            return true;
        }
        if (octets[at] != ':' || at + 1 == to) {
            return false;
        }
        if (quotes && octets[at + 1] == '_') {
            return Octets.endOfToken(octets, at + 1, to) == to;
        }
        int digit = at + 1;
        while (digit < to && Octets.isDigit(octets[digit])) {
            digit++;
        }
        return digit == to && to - at - 1 <= MAX_PORT_DIGITS;
    }

    /** The number of the address. */
    IpAddress address() {
        return address;
    }

    /** Returns the start of the address in the fields' array, without brackets. */
    int from() {
        return from;
    }

    /** Returns the end of the address. */
    int to() {
        return to;
    }

    /** A part of the fields' array as text. */
    String text(int start, int end) {
        return Octets.text(octets, start, end);
    }
}
