package io.remora.http1.oracle;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one pass over a request's field lines found, so that no later stage looks them up again.
 *
 * <p>Cost: one object a request; a name is compared only with the names of its own length.
 */
public final class RequestFacts {
    int hosts;

    @Nullable
    CharSequence host;

    @Nullable
    CharSequence contentLength;

    int transferEncodings;

    @Nullable
    CharSequence transferEncoding;

    boolean connection;
    boolean hopByHop;
    boolean te;
    boolean upgrade;
    boolean expect;
    boolean via;
    boolean maxForwards;
    boolean requestId;
    boolean forwarding;
    boolean hixieKey1;
    boolean hixieKey2;

    public static RequestFacts of(HttpHeaders fields) {
        RequestFacts facts = new RequestFacts();
        Iterator<Map.Entry<CharSequence, CharSequence>> lines = fields.iteratorCharSequence();
        while (lines.hasNext()) {
            Map.Entry<CharSequence, CharSequence> line = lines.next();
            facts.note(line.getKey(), line.getValue());
        }
        return facts;
    }

    /** Whether the client waits for an interim response before it sends the body (RFC 9110 10.1.1). */
    public boolean expectsContinue() {
        return expect;
    }

    public boolean hasConnection() {
        return connection;
    }

    private void note(CharSequence name, CharSequence value) {
        switch (name.length()) {
            case 2 -> te |= is(name, Names.TE);
            case 3 -> via |= is(name, Names.VIA);
            case 4 -> noteHost(name, value);
            case 6 -> expect |= is(name, Names.EXPECT) && FieldList.contains(value, "100-continue");
            case 7 -> upgrade |= is(name, Names.UPGRADE);
            case 9 -> forwarding |= is(name, Names.FORWARDED);
            case 10 -> noteTen(name);
            case 12 -> noteTwelve(name);
            case 14 -> noteFourteen(name, value);
            case 15 -> forwarding |= is(name, Names.X_FORWARDED_FOR);
            case 16 -> noteSixteen(name);
            case 17 -> noteSeventeen(name, value);
            case 18 -> noteHixie(name);
            default -> {}
        }
    }

    private void noteHost(CharSequence name, CharSequence value) {
        if (is(name, Names.HOST)) {
            hosts++;
            host = value;
        }
    }

    private void noteTen(CharSequence name) {
        if (is(name, Names.CONNECTION)) {
            connection = true;
        } else if (is(name, Names.KEEP_ALIVE)) {
            hopByHop = true;
        }
    }

    private void noteTwelve(CharSequence name) {
        if (is(name, Names.MAX_FORWARDS)) {
            maxForwards = true;
        } else if (is(name, Names.X_REQUEST_ID)) {
            requestId = true;
        }
    }

    private void noteFourteen(CharSequence name, CharSequence value) {
        if (is(name, Names.CONTENT_LENGTH)) {
            contentLength = value;
        }
    }

    private void noteSixteen(CharSequence name) {
        if (is(name, Names.X_FORWARDED_HOST)) {
            forwarding = true;
        } else if (is(name, Names.PROXY_CONNECTION)) {
            hopByHop = true;
        }
    }

    private void noteSeventeen(CharSequence name, CharSequence value) {
        if (is(name, Names.TRANSFER_ENCODING)) {
            transferEncodings++;
            transferEncoding = value;
        } else if (is(name, Names.X_FORWARDED_PROTO)) {
            forwarding = true;
        }
    }

    private void noteHixie(CharSequence name) {
        hixieKey1 |= is(name, Names.SEC_WEBSOCKET_KEY1);
        hixieKey2 |= is(name, Names.SEC_WEBSOCKET_KEY2);
    }

    private static boolean is(CharSequence name, AsciiString known) {
        return known.contentEqualsIgnoreCase(name);
    }
}
