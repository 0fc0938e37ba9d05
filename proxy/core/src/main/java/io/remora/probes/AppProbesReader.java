package io.remora.probes;

import io.remora.config.model.Address;
import io.remora.json.JsonReader;
import io.remora.text.Ascii;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads recorded probes from JSON, and refuses what it does not know.
 *
 * <p>Owner: one thread, once. Bounds: 64 KiB of JSON, {@value #MAX_PROBES} probes, {@value #MAX_FIELDS} fields of a
 * request, {@value #MAX_SECONDS} seconds.
 */
public final class AppProbesReader {
    static final int MAX_PROBES = 64;

    private static final int MAX_OCTETS = 64 << 10;
    private static final int MAX_FIELDS = 32;
    private static final int MAX_NAME = 63;
    private static final int MAX_SECONDS = 60;
    private static final int PROBE_SECONDS = 1;
    private static final String KINDS = "startup, readiness or liveness";
    private static final String HEX = "0123456789ABCDEF";

    private final byte[] octets;
    private final JsonReader in;
    private final Map<String, AppProbe> all = new LinkedHashMap<>();

    // the probe that is read
    private String at = "";
    private AppProbe.@Nullable Kind kind;
    private @Nullable String host;
    private int port;
    private String path = "/";
    private String service = "";
    private List<String> fields = List.of();
    private long seconds;

    private AppProbesReader(String json) {
        octets = json.getBytes(StandardCharsets.UTF_8);
        in = new JsonReader(new ByteArrayInputStream(octets), MAX_OCTETS);
    }

    /**
     * Reads the value of {@code --app-probes}.
     *
     * @throws IllegalArgumentException with the place, the problem and what to write instead
     */
    public static AppProbes read(String json) {
        return new AppProbesReader(json).read();
    }

    private AppProbes read() {
        try {
            if (octets.length > MAX_OCTETS) {
                throw wrong("", "is " + octets.length + " octets, expected at most " + MAX_OCTETS);
            }
            if (!in.document() || !in.object()) {
                throw wrong("", "is empty, expected an object of containers");
            }
            for (String container = in.name(); container != null; container = in.name()) {
                container(container);
            }
            if (in.document()) {
                throw wrong("", "goes on behind its object, expected one object");
            }
            return new AppProbes(Map.copyOf(all));
        } catch (IOException e) {
            throw new IllegalArgumentException("--app-probes" + place() + " is not valid: " + e.getMessage(), e);
        }
    }

    private void container(String name) throws IOException {
        at = name;
        if (!isName(name)) {
            throw wrong("", "is not the name of a container, expected at most 63 of a-z, 0-9 and '-'");
        }
        if (!in.object()) {
            throw wrong("", "is null, expected an object of probes");
        }
        for (String one = in.name(); one != null; one = in.name()) {
            at = name + '.' + one;
            if (!isKind(one)) {
                throw wrong("", "is no probe, expected " + KINDS);
            }
            if (all.size() == MAX_PROBES) {
                throw wrong("", "is one probe too many, expected at most " + MAX_PROBES);
            }
            AppProbe probe = probe(name + '/' + one);
            if (all.put(probe.name(), probe) != null) {
                throw wrong("", "stands there a second time, expected it once");
            }
        }
    }

    private AppProbe probe(String name) throws IOException {
        kind = null;
        host = null;
        port = 0;
        path = "/";
        service = "";
        fields = List.of();
        seconds = PROBE_SECONDS;
        if (!in.object()) {
            throw wrong("", "is null, expected httpGet, tcpSocket or grpc");
        }
        for (String key = in.name(); key != null; key = in.name()) {
            switch (key) {
                case "httpGet" -> action(key, AppProbe.Kind.HTTP);
                case "tcpSocket" -> action(key, AppProbe.Kind.TCP);
                case "grpc" -> action(key, AppProbe.Kind.GRPC);
                // the pod may have any number, and the listener's connections have no more time
                case "timeoutSeconds" -> seconds = Math.min(whole(key, Integer.MAX_VALUE), MAX_SECONDS);
                default -> throw unknown(key, "httpGet, tcpSocket, grpc or timeoutSeconds");
            }
        }
        if (kind == null) {
            throw wrong("", "has no action, expected httpGet, tcpSocket or grpc");
        }
        return new AppProbe(name, kind, host, port, path, fields, service, seconds * 1_000);
    }

    private void action(String action, AppProbe.Kind asked) throws IOException {
        if (kind != null) {
            throw wrong('.' + action, "is a second action, expected one");
        }
        kind = asked;
        if (!in.object()) {
            throw wrong('.' + action, "is null, expected an object with a port");
        }
        String probe = at;
        at += '.' + action;
        for (String key = in.name(); key != null; key = in.name()) {
            if (key.equals("port")) {
                port = (int) whole(key, 65_535);
            } else if (asked == AppProbe.Kind.GRPC && key.equals("service")) {
                service = plain(key, 127);
            } else if (asked != AppProbe.Kind.GRPC && key.equals("host")) {
                host = host(plain(key, 253));
            } else if (asked == AppProbe.Kind.HTTP) {
                http(key);
            } else {
                throw unknown(key, asked == AppProbe.Kind.TCP ? "port or host" : "port or service");
            }
        }
        if (port == 0) {
            throw wrong("", "has no port, expected a number from 1 to 65535");
        }
        at = probe;
    }

    private void http(String key) throws IOException {
        switch (key) {
            case "path" -> path = path(text(key));
            case "scheme" -> {
                String scheme = text(key);
                if (!scheme.equals("HTTP") && !scheme.equals("HTTPS")) {
                    throw wrong(".scheme", "is " + quote(scheme) + ", expected HTTP or HTTPS");
                }
                kind = AppProbe.Kind.valueOf(scheme);
            }
            case "httpHeaders" -> fields = fields();
            default -> throw unknown(key, "port, host, path, scheme or httpHeaders");
        }
    }

    private List<String> fields() throws IOException {
        List<String> read = new ArrayList<>();
        for (boolean more = in.array() && in.item(); more; more = in.item()) {
            if (read.size() == 2 * MAX_FIELDS) {
                throw wrong(".httpHeaders", "has too many entries, expected at most " + MAX_FIELDS);
            }
            String name = "";
            String value = "";
            in.object();
            for (String key = in.name(); key != null; key = in.name()) {
                switch (key) {
                    case "name" -> name = text(key);
                    case "value" -> value = text(key);
                    default -> throw unknown(key, "name or value");
                }
            }
            if (!isField(name, value)) {
                throw wrong(".httpHeaders", "has " + quote(name) + ", expected the name and the value of a field");
            }
            if (isFraming(name)) {
                // the sidecar sets them
                continue;
            }
            read.add(name);
            read.add(value);
        }
        return List.copyOf(read);
    }

    private static boolean isField(String name, String value) {
        for (int i = 0; i < name.length(); i++) {
            if (!Ascii.isTokenCharacter(name.charAt(i))) {
                return false;
            }
        }
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < ' ' && c != '\t' || c > '~') {
                return false;
            }
        }
        return !name.isEmpty();
    }

    private static boolean isFraming(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "connection", "content-length", "expect", "transfer-encoding", "upgrade" -> true;
            default -> false;
        };
    }

    /** Completes a path as the kubelet does: with its first slash, and with what a target cannot have in percents. */
    private static String path(String given) {
        StringBuilder path = new StringBuilder(given.startsWith("/") ? "" : "/");
        for (byte octet : given.getBytes(StandardCharsets.UTF_8)) {
            if (octet > ' ' && octet <= '~' && octet != '#' && octet != '"') {
                path.append((char) octet);
            } else {
                path.append('%').append(HEX.charAt(octet >> 4 & 15)).append(HEX.charAt(octet & 15));
            }
        }
        return path.toString();
    }

    private @Nullable String host(String given) {
        if (given.isEmpty()) {
            return null;
        }
        if (!Address.isHost(given) && !Address.isIpV6('[' + given + ']')) {
            throw wrong(".host", "is " + quote(given) + ", expected a name or an address");
        }
        return given;
    }

    private String text(String key) throws IOException {
        String text = in.text();
        if (text == null) {
            throw wrong('.' + key, "is null, expected a text");
        }
        return text;
    }

    private String plain(String key, int most) throws IOException {
        String text = text(key);
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) <= ' ' || text.charAt(i) > '~') {
                throw wrong('.' + key, "is " + quote(text) + ", expected visible ASCII characters");
            }
        }
        if (text.length() > most) {
            throw wrong('.' + key, "is " + text.length() + " characters, expected at most " + most);
        }
        return text;
    }

    private long whole(String key, long most) throws IOException {
        long number = in.whole(-1);
        if (number < 1 || number > most) {
            throw wrong('.' + key, "is " + number + ", expected 1 to " + most);
        }
        return number;
    }

    private static boolean isName(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c != '-' && (c < 'a' || c > 'z') && (c < '0' || c > '9')) {
                return false;
            }
        }
        return !name.isEmpty() && name.length() <= MAX_NAME;
    }

    /** Hooks are no probes: every client that reaches the health listener could call them. */
    private static boolean isKind(String name) {
        return name.equals("startup") || name.equals("readiness") || name.equals("liveness");
    }

    private static String quote(String text) {
        return '\'' + text + '\'';
    }

    private String place() {
        return at.isEmpty() ? "" : ": " + at;
    }

    private IllegalArgumentException unknown(String key, String expected) {
        return wrong("", "has the unknown key " + quote(key) + ", expected " + expected);
    }

    private IllegalArgumentException wrong(String below, String problem) {
        return new IllegalArgumentException(Ascii.oneLine("--app-probes" + place() + below + ' ' + problem));
    }
}
