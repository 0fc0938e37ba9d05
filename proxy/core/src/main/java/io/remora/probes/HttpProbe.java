package io.remora.probes;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A probe by a GET. A redirect to the same host is followed; another one is the answer, without its Location, which a
 * kubelet takes for success as it does for redirects that it does not follow itself.
 *
 * <p>Owner: the run's thread. Bounds: a head of {@value #MAX_LINES} lines of {@value #MAX_LINE} octets, {@value #MAX_BODY} octets of the
 * body, as much as a kubelet reads, {@value #MAX_REDIRECTS} redirects. Spec: RFC 9112.
 */
final class HttpProbe extends ProbeCall {
    private static final int MAX_LINES = 100;
    private static final int MAX_LINE = 8_192;
    private static final int MAX_BODY = 10 << 10;
    private static final int MAX_REDIRECTS = 10;
    private static final int LOWEST = 200;
    private static final int HIGHEST = 599;
    private static final String AGENT = "kube-probe/remora";

    private boolean tls;
    private int port;
    private String path;

    // the response that is read
    private int status;
    private long length;
    private boolean chunked;
    private @Nullable String location;

    HttpProbe(AppProbe probe) {
        super(probe);
        this.tls = probe.kind() == AppProbe.Kind.HTTPS;
        this.port = probe.port();
        this.path = probe.path();
    }

    @Override
    ProbeAnswer answer() throws IOException {
        for (int followed = 0; followed <= MAX_REDIRECTS; followed++) {
            ProbeAnswer answer = once();
            if (location == null || !follows(location)) {
                return answer;
            }
        }
        throw new IOException("more than " + MAX_REDIRECTS + " redirects");
    }

    private ProbeAnswer once() throws IOException {
        try (Socket plain = connect(host(), port);
                Socket socket = tls ? TrustingTls.over(this, plain, host(), port) : plain) {
            socket.getOutputStream().write(request());
            socket.getOutputStream().flush();
            ProbeInput in = new ProbeInput(this, socket);
            do {
                head(in);
            } while (status < LOWEST);
            return new ProbeAnswer(status, body(in));
        }
    }

    private byte[] request() {
        StringBuilder text = new StringBuilder("GET ").append(path).append(" HTTP/1.1\r\n");
        if (!has("host")) {
            text.append("Host: ").append(place(host(), port)).append("\r\n");
        }
        if (!has("user-agent")) {
            text.append("User-Agent: ").append(AGENT).append("\r\n");
        }
        if (!has("accept")) {
            text.append("Accept: */*\r\n");
        }
        List<String> fields = probe.fields();
        for (int i = 0; i < fields.size(); i += 2) {
            text.append(fields.get(i)).append(": ").append(fields.get(i + 1)).append("\r\n");
        }
        text.append("Connection: close\r\n\r\n");
        return text.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private boolean has(String name) {
        for (int i = 0; i < probe.fields().size(); i += 2) {
            if (probe.fields().get(i).equalsIgnoreCase(name)) {
                return true;
            }
        }
        return false;
    }

    private void head(ProbeInput in) throws IOException {
        status = status(in.line(MAX_LINE));
        length = Long.MAX_VALUE;
        chunked = false;
        location = null;
        String line = in.line(MAX_LINE);
        for (int lines = 0; !line.isEmpty(); lines++) {
            if (lines == MAX_LINES) {
                throw new IOException("the response has more than " + MAX_LINES + " fields");
            }
            field(line);
            line = in.line(MAX_LINE);
        }
    }

    private static int status(String line) throws IOException {
        int status = line.startsWith("HTTP/1.") && line.length() >= 12 ? number(line.substring(9, 12), 10) : -1;
        if (status < 100 || status > HIGHEST || status == 101) {
            throw new IOException("the response is not HTTP/1.1");
        }
        return status;
    }

    private void field(String line) throws IOException {
        int colon = line.indexOf(':');
        String value = line.substring(colon + 1).trim();
        switch (line.substring(0, Math.max(colon, 0)).toLowerCase(Locale.ROOT)) {
            case "content-length" -> length = number(value, 10);
            case "transfer-encoding" -> chunked = value.toLowerCase(Locale.ROOT).endsWith("chunked");
            case "location" -> location = isRedirect() ? value : null;
            default -> {}
        }
    }

    private boolean isRedirect() {
        return status >= 301 && status <= 303 || status == 307 || status == 308;
    }

    // a piece of the body; of a longer one, the rest is not waited for
    private String body(ProbeInput in) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        if (status == 204 || status == 304) {
            return "";
        }
        if (!chunked) {
            copy(in, body, length);
        } else {
            for (long chunk = chunk(in); chunk > 0 && body.size() < MAX_BODY; chunk = chunk(in)) {
                copy(in, body, chunk);
                if (body.size() < MAX_BODY) {
                    in.line(MAX_LINE);
                }
            }
        }
        return body.toString(StandardCharsets.UTF_8);
    }

    private static long chunk(ProbeInput in) throws IOException {
        String line = in.line(MAX_LINE);
        int end = line.indexOf(';');
        return number((end < 0 ? line : line.substring(0, end)).trim(), 16);
    }

    private void copy(ProbeInput in, ByteArrayOutputStream body, long octets) throws IOException {
        boolean known = octets < Long.MAX_VALUE;
        for (long left = octets; left > 0 && body.size() < MAX_BODY; left--) {
            int octet = known ? in.next() : in.read();
            if (octet == ProbeInput.END) {
                return;
            }
            body.write(octet);
        }
    }

    private static int number(String text, int radix) throws IOException {
        try {
            int number = Integer.parseInt(text, radix);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // the same as a negative one
        }
        throw new IOException("the response has the number '" + text + "'");
    }

    /** Goes to the location if it is on the same host; returns whether it is. */
    private boolean follows(String given) throws IOException {
        try {
            URI next = URI.create((tls ? "https://" : "http://") + place(host(), port) + path)
                    .resolve(given);
            String host = next.getHost();
            boolean https = "https".equals(next.getScheme());
            if (host == null
                    || !host.equalsIgnoreCase(bracketed(host()))
                    || !https && !"http".equals(next.getScheme())) {
                return false;
            }
            tls = https;
            port = next.getPort() < 0 ? https ? 443 : 80 : next.getPort();
            String query = next.getRawQuery();
            String target = next.getRawPath();
            path = (target.isEmpty() ? "/" : target) + (query == null ? "" : '?' + query);
            return true;
        } catch (IllegalArgumentException e) {
            throw new IOException("the redirect's Location cannot be read", e);
        }
    }

    private static String bracketed(String host) {
        return host.indexOf(':') < 0 ? host : '[' + host + ']';
    }
}
