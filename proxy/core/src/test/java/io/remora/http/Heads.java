package io.remora.http;

import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Heads and fields for the unit tests of the rules, from the lines that one would read on the wire. The one place that
 * knows which classes carry them.
 */
public final class Heads {
    private Heads() {}

    /** Each line is {@code Name: value}, judged by nobody. */
    public static HttpHeaders fields(String... lines) {
        HttpHeaders fields =
                DefaultHttpHeadersFactory.headersFactory().withValidation(false).newHeaders();
        for (String line : lines) {
            int colon = line.indexOf(':');
            fields.add(line.substring(0, colon), line.substring(colon + 1).strip());
        }
        return fields;
    }

    /** The lines again, in order. */
    public static List<String> lines(HttpHeaders fields) {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<String, String> field : fields) {
            lines.add(field.getKey() + ": " + field.getValue());
        }
        return lines;
    }

    public static RequestFacts facts(String... lines) {
        return RequestFacts.of(fields(lines));
    }

    public static HttpMethod method(String name) {
        return HttpMethod.valueOf(name);
    }

    /** A request to the authority {@code app.example} without a body. */
    public static RequestHead request(String method, String target, String... lines) {
        return requestTo("app.example", method, target, lines);
    }

    public static RequestHead requestTo(String authority, String method, String target, String... lines) {
        HttpHeaders fields = fields(lines);
        RequestFacts facts = RequestFacts.of(fields);
        return new RequestHead(
                method(method), target, authority, fields, RequestRules.bodyLength(facts, fields), facts);
    }
}
