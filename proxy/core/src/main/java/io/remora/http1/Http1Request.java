package io.remora.http1;

import io.remora.http.BodyLength;
import io.remora.http.FieldList;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.RequestHead;
import java.util.List;

/**
 * A request's head as HTTP/1 brought it, which knows the fields that are about its connection.
 *
 * <p>Spec: RFC 9110 sections 7.6.1, 7.8, 10.1.1 and 10.1.4.
 */
final class Http1Request extends RequestHead {
    static final String WEBSOCKET = "websocket";
    private static final String TRAILERS = "trailers";

    private final boolean http11;
    private final int options;
    private List<String> nominated = List.of();

    /**
     * @param options of its Connection field, as {@link ConnectionOptions} has them
     */
    Http1Request(
            String method,
            Octets target,
            Octets authority,
            boolean http11,
            Fields fields,
            long bodyLength,
            int options) {
        super(method, target, authority, http11 ? "1.1" : "1.0", fields, bodyLength);
        this.http11 = http11;
        this.options = options;
    }

    /** Returns a stand-in for the head of a request of which nothing can be read. */
    static Http1Request unreadable() {
        return new Http1Request(
                "-", Octets.of("-"), Octets.of(""), true, new Fields(), BodyLength.NONE, ConnectionOptions.CLOSE);
    }

    boolean isHttp11() {
        return http11;
    }

    /** Returns whether the client wants the connection to end with the response (RFC 9112 9.6). */
    boolean asksToClose() {
        return (options & ConnectionOptions.CLOSE) != 0;
    }

    /** Names that the Connection field nominated, which bind the trailers too. */
    List<String> nominated() {
        return nominated;
    }

    @Override
    public void leaveConnection() {
        nominated = HopByHop.nominated(fields, options);
        // each is read before the fields that hold it go
        if (fields.contains(FieldName.UPGRADE) && isUpgrade()) {
            offerUpgrade(WEBSOCKET);
        }
        if (fields.contains(FieldName.TE) && FieldList.contains(joined(FieldName.TE), TRAILERS)) {
            takeTrailers();
        }
        HopByHop.strip(fields, nominated);
        if (!http11 && fields.contains(FieldName.EXPECT)) {
            ignoreExpectation();
        }
    }

    // to websocket only, of a request that has no body in which bytes could hide
    private boolean isUpgrade() {
        return http11
                && method.equals("GET")
                && bodyLength() == BodyLength.NONE
                && Upgrades.isWebsocket(fields, options);
    }

    // RFC 9110 10.1.1: an expectation of 100-continue from HTTP/1.0 is ignored
    private void ignoreExpectation() {
        if (FieldList.contains(joined(FieldName.EXPECT), "100-continue")) {
            fields.remove(FieldName.EXPECT);
        }
    }

    private String joined(FieldName name) {
        return String.join(",", fields.getAll(name));
    }
}
