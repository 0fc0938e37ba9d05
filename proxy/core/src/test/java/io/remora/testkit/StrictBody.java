package io.remora.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Framing of bodies, as strictly as {@link StrictHttp} judges heads. */
final class StrictBody {
    /** Names that a trailer section of the sidecar may never carry: they would change what the header section said. */
    private static final Set<String> NOT_IN_TRAILERS = Set.of(
            "content-length",
            "transfer-encoding",
            "trailer",
            "host",
            "authorization",
            "cookie",
            "set-cookie",
            "connection",
            "forwarded",
            "x-forwarded-for",
            "x-forwarded-proto",
            "x-forwarded-host",
            "te",
            "upgrade",
            "keep-alive");

    private StrictBody() {}

    /** At most one framing: one Content-Length of plain digits, or one Transfer-Encoding that is {@code chunked}. */
    static void checkFraming(Fields fields) throws IOException {
        List<String> lengths = fields.all("content-length");
        List<String> codings = fields.all("transfer-encoding");
        StrictHttp.require(lengths.size() + codings.size() <= 1, "framing", fields);
        if (!lengths.isEmpty()) {
            length(lengths.get(0));
        }
        StrictHttp.require(codings.isEmpty() || codings.get(0).equals("chunked"), "transfer coding", fields);
    }

    private static long length(@Nullable String digits) throws IOException {
        boolean plain = digits != null
                && !digits.isEmpty()
                && digits.length() <= 18
                && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        StrictHttp.require(plain, "Content-Length", digits);
        StrictHttp.require("0".equals(digits) || digits != null && !digits.startsWith("0"), "Content-Length", digits);
        return Long.parseLong(digits);
    }

    static byte[] ofRequest(Fields fields, InputStream in) throws IOException {
        if (fields.has("transfer-encoding")) {
            return chunks(in);
        }
        return fields.has("content-length")
                ? Wire.exactly(in, Math.toIntExact(length(fields.first("content-length"))))
                : new byte[0];
    }

    static boolean responseHasBody(RawResponse head, String method) {
        int status = head.status();
        return !method.equals("HEAD") && status >= 200 && status != 204 && status != 304;
    }

    static byte[] ofResponse(Fields fields, InputStream in) throws IOException {
        boolean framed = fields.has("transfer-encoding") || fields.has("content-length");
        return framed ? ofRequest(fields, in) : in.readAllBytes();
    }

    /** To be called right behind the body. */
    static Fields trailers(Fields head, InputStream in) throws IOException {
        if (!head.has("transfer-encoding")) {
            return Fields.NONE;
        }
        Fields trailers = StrictHttp.fields(in);
        for (String name : trailers.names()) {
            StrictHttp.require(!NOT_IN_TRAILERS.contains(name.toLowerCase(java.util.Locale.ROOT)), "trailer", name);
        }
        return trailers;
    }

    /** Chunks up to and with the line of the last one; no extensions, since nobody asked the sidecar for any. */
    private static byte[] chunks(InputStream in) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            String line = Wire.line(in);
            boolean hex =
                    !line.isEmpty() && line.length() <= 7 && line.chars().allMatch(c -> Character.digit(c, 16) >= 0);
            StrictHttp.require(hex, "chunk size", line);
            int size = Integer.parseInt(line, 16);
            if (size == 0) {
                return body.toByteArray();
            }
            body.write(Wire.exactly(in, size));
            StrictHttp.require(Wire.line(in).isEmpty(), "end of chunk", line);
        }
    }
}
