package io.remora.webhook;

import io.netty.channel.EventLoopGroup;
import io.remora.discovery.TokenFile;
import io.remora.json.JsonTree;
import io.remora.tls.PemText;
import io.remora.tls.ProcessTls;
import io.remora.transport.Handshake;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Asks the API server, as the service account of its pod. The token and the authorities are read again for each
 * request, as the kubelet rotates them.
 *
 * <p>Owner: one thread. Bounds: those of {@link ApiCall}; a token of 16 KiB, authorities of 1 MiB.
 */
final class ApiClient {
    static final int OK = 200;
    static final int CONFLICT = 409;
    /** DNS name that the certificate of every API server has. */
    private static final String HOST = "kubernetes.default.svc";

    private final EventLoopGroup group;
    private final ProcessTls tls;
    private final String host;
    private final int port;
    private final Path account;

    /**
     * @param host name or address of the API server
     * @param account folder of the service account, with {@code token} and {@code ca.crt}
     */
    ApiClient(EventLoopGroup group, ProcessTls tls, String host, int port, Path account) {
        this.group = group;
        this.tls = tls;
        this.host = host;
        this.port = port;
        this.account = account;
    }

    /** Returns the object at a path. */
    Map<?, ?> get(String path) throws IOException {
        ApiCall call = ask("GET", path, null, "");
        if (call.status() != OK) {
            throw refusal("GET", path, call);
        }
        return object(call, path);
    }

    /**
     * Patches the object at a path; the patch names the version that it is for.
     *
     * @param type of the patch, such as {@code merge-patch}
     * @return the object; null where it has changed meanwhile
     */
    @Nullable
    Map<?, ?> patch(String path, String type, String patch) throws IOException {
        ApiCall call = ask("PATCH", path + "?fieldManager=remora-injector", "application/" + type + "+json", patch);
        if (call.status() == CONFLICT) {
            return null;
        }
        if (call.status() != OK) {
            throw refusal("PATCH", path, call);
        }
        return object(call, path);
    }

    private ApiCall ask(String method, String target, @Nullable String type, String body) throws IOException {
        String authorities = Files.readString(account.resolve("ca.crt"), StandardCharsets.ISO_8859_1);
        String token = TokenFile.read(account.resolve("token").toString());
        byte[] octets = body.getBytes(StandardCharsets.UTF_8);
        StringBuilder head = new StringBuilder(2_048);
        head.append(method)
                .append(' ')
                .append(target)
                .append(" HTTP/1.1\r\nHost: ")
                .append(HOST);
        head.append("\r\nAuthorization: Bearer ").append(token);
        head.append("\r\nAccept: application/json\r\nUser-Agent: remora-injector\r\nConnection: close\r\n");
        if (type != null) {
            head.append("Content-Type: ")
                    .append(type)
                    .append("\r\nContent-Length: ")
                    .append(octets.length);
            head.append("\r\n");
        }
        byte[] opening = head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
        Handshake handshake =
                tls.client("API server", PemText.certificates(authorities), HOST, ProcessTls.stats("cluster", "api"));
        try {
            ApiCall call = new ApiCall(handshake, opening, octets);
            call.run(group, new InetSocketAddress(host, port));
            return call;
        } finally {
            handshake.release();
        }
    }

    private static Map<?, ?> object(ApiCall call, String path) throws IOException {
        if (JsonTree.read(call.body()) instanceof Map<?, ?> object) {
            return object;
        }
        throw new IOException("the API server's answer for " + path + " is not an object");
    }

    /** The server's own words name the right that is missing. */
    private static IOException refusal(String method, String path, ApiCall call) {
        String why = "";
        try {
            Object message = object(call, path).get("message");
            why = message instanceof String text ? ": " + text : "";
        } catch (IOException e) {
            // an answer of a proxy in between, which has no words for this
        }
        return new IOException("the API server answers " + method + ' ' + path + " with " + call.status() + why);
    }

    // ---- reading objects

    /** Returns the object under a name; an empty one where there is none. */
    static Map<?, ?> member(Map<?, ?> object, String name) {
        return object.get(name) instanceof Map<?, ?> map ? map : Map.of();
    }

    static String version(Map<?, ?> object) throws IOException {
        if (member(object, "metadata").get("resourceVersion") instanceof String version) {
            return version;
        }
        throw new IOException("the API server's answer has no resourceVersion");
    }
}
