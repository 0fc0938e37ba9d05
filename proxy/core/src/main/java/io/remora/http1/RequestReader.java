package io.remora.http1;

import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.Names;
import io.remora.http.RequestFacts;
import io.remora.http.RequestHead;
import io.remora.http.RequestRules;
import io.remora.http.RequestTarget;
import org.jspecify.annotations.Nullable;

/** Reads the version-neutral head out of a decoded HTTP/1 request, and judges it. Owner: one frontend, one request. */
final class RequestReader {
    private static final HttpMethod UNKNOWN = HttpMethod.valueOf("-");

    private final @Nullable RequestHead head;
    private final @Nullable Failure failure;

    private RequestReader(@Nullable RequestHead head, @Nullable Failure failure) {
        this.head = head;
        this.failure = failure;
    }

    /**
     * @param defaultAuthority what an HTTP/1.0 request without a Host is taken to be for
     */
    static RequestReader read(HttpRequest request, String defaultAuthority) {
        if (request.decoderResult().isFailure()) {
            return new RequestReader(
                    null, DecodeFailures.ofRequestHead(request.decoderResult().cause()));
        }
        HttpVersion version = request.protocolVersion();
        boolean http11 = HttpVersion.HTTP_1_1.equals(version);
        if (!http11 && !HttpVersion.HTTP_1_0.equals(version)) {
            return new RequestReader(null, Failure.UNSUPPORTED_VERSION);
        }
        HttpMethod method = request.method();
        HttpHeaders fields = request.headers();
        RequestFacts facts = RequestFacts.of(fields);
        RequestTarget target = RequestTarget.parse(request.uri(), method.name());
        Failure failure = RequestRules.judge(method, request.uri(), target, facts, http11);
        if (failure != null || target == null) {
            return new RequestReader(null, failure == null ? Failure.BAD_REQUEST : failure);
        }
        String authority = authority(fields, target, defaultAuthority);
        long bodyLength = RequestRules.bodyLength(facts, fields);
        return new RequestReader(new RequestHead(method, target.path(), authority, fields, bodyLength, facts), null);
    }

    /**
     * What stands in for the head of a request that cannot be read.
     *
     * @param method of which at least it could be told that it is HEAD, null otherwise
     */
    static RequestHead unreadable(@Nullable HttpMethod method) {
        HttpHeaders none = EmptyHttpHeaders.INSTANCE;
        return new RequestHead(
                method == null ? UNKNOWN : method, "-", "", none, BodyLength.NONE, RequestFacts.of(none));
    }

    @Nullable
    RequestHead head() {
        return head;
    }

    Failure failure() {
        return failure == null ? Failure.BAD_REQUEST : failure;
    }

    // RFC 9112 3.2.2: the target's authority replaces whatever Host came with it
    private static String authority(HttpHeaders fields, RequestTarget target, String defaultAuthority) {
        String host = fields.get(Names.HOST);
        String authority = target.authority() != null ? target.authority() : host != null ? host : defaultAuthority;
        if (!authority.equals(host)) {
            fields.set(Names.HOST, authority);
        }
        return authority;
    }
}
