package io.remora.finagle;

import com.twitter.finagle.Dtab;
import com.twitter.finagle.Service;
import com.twitter.finagle.SimpleFilter;
import com.twitter.finagle.http.Chunk;
import com.twitter.finagle.http.Method;
import com.twitter.finagle.http.Request;
import com.twitter.finagle.http.Response;
import com.twitter.finagle.http.Status;
import com.twitter.finagle.http.Version;
import com.twitter.io.Buf;
import com.twitter.io.Reader;
import com.twitter.util.Future;
import com.twitter.util.FuturePool;
import com.twitter.util.Promise;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Filters as users write them, well and badly. Each takes what to do with a request from its path where it can do several things. */
public final class TestFilters {
    private TestFilters() {}

    private static Response answer(int status, String content) {
        Response answer = Response.apply(Status.fromCode(status));
        answer.setContentString(content);
        return answer;
    }

    private static Reader<Buf> pieces(String... texts) {
        List<Buf> pieces = new java.util.ArrayList<>();
        for (String text : texts) {
            pieces.add(Bytes.of(text.getBytes(StandardCharsets.ISO_8859_1)));
        }
        return Reader.fromCollection(pieces);
    }

    /** Notes its turn. */
    public static class First extends SimpleFilter<Request, Response> {
        @Override
        public Future<Response> apply(Request request, Service<Request, Response> service) {
            request.headerMap().add("X-Order", "first");
            return service.apply(request);
        }
    }

    /** Notes its turn. */
    public static class Second extends SimpleFilter<Request, Response> {
        @Override
        public Future<Response> apply(Request request, Service<Request, Response> service) {
            request.headerMap().add("X-Order", "second");
            return service.apply(request);
        }
    }

    /** Fails in every way there is. */
    public static class Failing extends SimpleFilter<Request, Response> {
        @Override
        public @Nullable Future<Response> apply(Request request, Service<Request, Response> service) {
            return switch (request.path()) {
                case "/throws" -> throw new IllegalStateException("thrown");
                case "/links" -> throw new NoClassDefFoundError("no.such.Library");
                case "/nothing" -> null;
                case "/fails" -> Future.exception(new IOException("not the endpoint's"));
                case "/later" ->
                    service.apply(request).map(response -> {
                        throw new IllegalStateException("thrown later");
                    });
                case "/never" -> new Promise<>();
                default -> service.apply(request);
            };
        }
    }

    /** Changes the request. */
    public static class Changing extends SimpleFilter<Request, Response> {
        @Override
        public Future<Response> apply(Request request, Service<Request, Response> service) {
            switch (request.path()) {
                case "/crlf" -> request.headerMap().setUnsafe("X-A", "a\r\nX-Evil: 1");
                case "/wide" -> request.headerMap().setUnsafe("X-A", "a\u010d\u010aX-Evil: 1");
                case "/name" -> request.headerMap().setUnsafe("X-A: b\r\nX-Evil", "1");
                case "/framing" -> {
                    for (String name : List.of("Content-Length", "Host", "Connection", "Upgrade", "Expect", "TE")) {
                        request.headerMap().setUnsafe(name, "77");
                    }
                    request.headerMap().setUnsafe("Transfer-Encoding", "chunked");
                    request.setChunked(!request.isChunked());
                }
                case "/unframed" -> {
                    request.headerMap().removeHeader("Content-Length");
                    request.headerMap().removeHeader("Host");
                }
                case "/target" -> request.uri("/else where HTTP/1.1");
                case "/moved" -> request.uri("/there?a=b");
                case "/head" -> request.method(Method.Head());
                case "/put" -> request.method(Method.Put());
                case "/body" -> request.setContentString("another body");
                case "/nobody" -> request.clearContent();
                case "/other" -> {
                    return service.apply(Request.apply("/"));
                }
                default -> {}
            }
            return service.apply(request);
        }
    }

    /** Answers instead of the endpoint, or beside it. */
    public static class Answering extends SimpleFilter<Request, Response> {
        @Override
        public Future<Response> apply(Request request, Service<Request, Response> service) {
            return switch (request.path()) {
                case "/itself" -> Future.value(lying());
                case "/chunks" -> Future.value(Response.apply(Version.Http11(), Status.Ok(), pieces("ab", "", "cd")));
                case "/empty" -> Future.value(answer(200, ""));
                case "/no-content" -> Future.value(answer(204, "content"));
                case "/not-modified" -> Future.value(answer(304, "content"));
                case "/early" -> Future.value(answer(101, ""));
                case "/status" -> Future.value(answer(42, ""));
                case "/crlf" -> {
                    Response answer = answer(200, "");
                    answer.headerMap().setUnsafe("X-A", "a\r\nX-Evil: 1");
                    yield Future.value(answer);
                }
                case "/beside" -> {
                    service.apply(request);
                    yield Future.value(answer(403, "beside"));
                }
                case "/instead" -> service.apply(request).map(response -> answer(502, "was " + response.statusCode()));
                default -> service.apply(request);
            };
        }

        private static Response lying() {
            Response answer = answer(403, "mine");
            answer.headerMap().setUnsafe("Content-Length", "999");
            answer.headerMap().setUnsafe("Transfer-Encoding", "chunked");
            answer.headerMap().setUnsafe("Connection", "close");
            answer.headerMap().set("X-Mine", "yes");
            return answer;
        }
    }

    /** Changes the endpoint's response. */
    public static class Rewriting extends SimpleFilter<Request, Response> {
        private @Nullable Response kept;

        @Override
        public Future<Response> apply(Request request, Service<Request, Response> service) {
            Response before = kept;
            if (request.path().equals("/kept") && before != null) {
                return Future.value(before);
            }
            return service.apply(request).map(response -> rewritten(request.path(), response));
        }

        private Response rewritten(String path, Response response) {
            switch (path) {
                case "/kept" -> kept = response;
                case "/404" -> response.status(Status.NotFound());
                case "/204" -> response.status(Status.NoContent());
                case "/longer" -> response.setContentString("a longer body than it was");
                case "/none" -> response.clearContent();
                case "/framing" -> {
                    response.headerMap().setUnsafe("Content-Length", "999");
                    response.headerMap().setUnsafe("Transfer-Encoding", "gzip");
                    response.setChunked(!response.isChunked());
                }
                default -> {}
            }
            return response;
        }
    }

    /** Sends the request twice, gives the second response. */
    public static class Twice extends SimpleFilter<Request, Response> {
        @Override
        public Future<Response> apply(Request request, Service<Request, Response> service) {
            return service.apply(request).flatMap(first -> service.apply(request));
        }
    }

    /** Sends a request once more that was answered with 503. */
    public static class Insisting extends SimpleFilter<Request, Response> {
        @Override
        public Future<Response> apply(Request request, Service<Request, Response> service) {
            return service.apply(request)
                    .flatMap(first -> first.statusCode() == 503 ? service.apply(request) : Future.value(first));
        }
    }

    /** Reads some of a body that follows, and passes the request on. */
    public static class Reading extends SimpleFilter<Request, Response> {
        @Override
        public Future<Response> apply(Request request, Service<Request, Response> service) {
            Reader<Chunk> body = request.chunkReader();
            return body.read().flatMap(chunk -> service.apply(request));
        }
    }

    /** Does everything on threads of its own. */
    public static class Elsewhere extends SimpleFilter<Request, Response> {
        @Override
        public Future<Response> apply(Request request, Service<Request, Response> service) {
            Promise<Response> answer = new Promise<>();
            new Thread(() -> {
                        request.headerMap().set("X-Thread", "another");
                        Future<Response> response = service.apply(request);
                        response.respond(done -> {
                            new Thread(() -> answer.update(done)).start();
                            return scala.runtime.BoxedUnit.UNIT;
                        });
                    })
                    .start();
            return answer;
        }
    }

    /** Of something else than HTTP. */
    public static class OfText extends SimpleFilter<String, String> {
        @Override
        public Future<String> apply(String request, Service<String, String> service) {
            return service.apply(request);
        }
    }

    /** Has no constructor that takes nothing. */
    public static class Configured extends First {
        /** With something to know. */
        public Configured(String ignored) {}
    }

    /** Fails before there is any request. */
    public static class Unmade extends First {
        /** Fails. */
        public Unmade() {
            throw new IllegalStateException("not today");
        }
    }

    /** Sends what asks for it elsewhere, by a dtab of the call's own; later, from another thread. */
    public static class Delegating extends SimpleFilter<Request, Response> {
        @Override
        public Future<Response> apply(Request request, Service<Request, Response> service) {
            if (!request.path().contains("canary")) {
                return service.apply(request);
            }
            Dtab.setLocal(Dtab.read("/s/app => /#/canary"));
            return request.path().endsWith("later")
                    ? FuturePool.unboundedPool()
                            .apply(() -> service.apply(request))
                            .flatMap(answer -> answer)
                    : service.apply(request);
        }
    }
}
