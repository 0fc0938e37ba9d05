package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.remora.seams.SeamStand;
import io.remora.testkit.Await;
import io.remora.testkit.DeadPort;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A client and a server of grpc-java, with the sidecar between them. */
final class GrpcJavaIT {
    private static final MethodDescriptor<byte[], byte[]> ECHO = method("Echo", MethodType.UNARY);
    private static final MethodDescriptor<byte[], byte[]> CHAT = method("Chat", MethodType.BIDI_STREAMING);
    private static final String LISTENER = "protocol: http2\n";
    private static final String CLUSTER = "protocol: http2\n";

    private static MethodDescriptor<byte[], byte[]> method(String name, MethodType type) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(type)
                .setFullMethodName("a.B/" + name)
                .setRequestMarshaller(new Octets())
                .setResponseMarshaller(new Octets())
                .build();
    }

    /** Messages as they are. */
    private static final class Octets implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static Server serve(ServerCalls.UnaryMethod<byte[], byte[]> echo) throws IOException {
        ServerCalls.BidiStreamingMethod<byte[], byte[]> chat = GrpcJavaIT::sendBack;
        return NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(ServerServiceDefinition.builder("a.B")
                        .addMethod(ECHO, ServerCalls.asyncUnaryCall(echo))
                        .addMethod(CHAT, ServerCalls.asyncBidiStreamingCall(chat))
                        .build())
                .build()
                .start();
    }

    private static StreamObserver<byte[]> sendBack(StreamObserver<byte[]> responses) {
        return new StreamObserver<>() {
            @Override
            public void onNext(byte[] message) {
                responses.onNext(message);
            }

            @Override
            public void onError(Throwable cause) {
                // the client has gone, which its test sees there
            }

            @Override
            public void onCompleted() {
                responses.onCompleted();
            }
        };
    }

    private static ManagedChannel channel(SeamStand stand) {
        return NettyChannelBuilder.forAddress(stand.address())
                .usePlaintext()
                .disableRetry()
                .build();
    }

    private static byte[] call(ManagedChannel channel, CallOptions options, int octets) {
        return ClientCalls.blockingUnaryCall(channel, ECHO, options, new byte[octets]);
    }

    private static Status failure(ManagedChannel channel, CallOptions options) {
        return catchThrowableOfType(StatusRuntimeException.class, () -> call(channel, options, 1))
                .getStatus();
    }

    /** Begins a call of both kinds of streams; tells what comes, and what it came to. */
    private static StreamObserver<byte[]> chat(
            ManagedChannel channel, List<byte[]> received, CompletableFuture<Status> ended) {
        return ClientCalls.asyncBidiStreamingCall(channel.newCall(CHAT, CallOptions.DEFAULT), new StreamObserver<>() {
            @Override
            public void onNext(byte[] message) {
                received.add(message);
            }

            @Override
            public void onError(Throwable cause) {
                ended.complete(Status.fromThrowable(cause));
            }

            @Override
            public void onCompleted() {
                ended.complete(Status.OK);
            }
        });
    }

    private static void end(ManagedChannel channel, Server server) throws InterruptedException {
        channel.shutdownNow();
        server.shutdownNow();
        assertThat(channel.awaitTermination(Await.TIMEOUT_MS, TimeUnit.MILLISECONDS))
                .isTrue();
        assertThat(server.awaitTermination(Await.TIMEOUT_MS, TimeUnit.MILLISECONDS))
                .isTrue();
    }

    @Test
    void callsAndStreamsPass() throws Exception {
        Server server = serve((message, responses) -> {
            responses.onNext(message);
            responses.onCompleted();
        });
        try (SeamStand stand = SeamStand.start(LISTENER, CLUSTER, server.getPort())) {
            ManagedChannel channel = channel(stand);
            assertThat(call(channel, CallOptions.DEFAULT, 3 << 20)).hasSize(3 << 20);
            List<byte[]> received = new CopyOnWriteArrayList<>();
            CompletableFuture<Status> ended = new CompletableFuture<>();
            StreamObserver<byte[]> requests = chat(channel, received, ended);
            for (int i = 0; i < 100; i++) {
                requests.onNext(new byte[i]);
            }
            requests.onCompleted();
            assertThat(ended.get(Await.TIMEOUT_MS, TimeUnit.MILLISECONDS)).isEqualTo(Status.OK);
            assertThat(received).hasSize(100);
            end(channel, server);
        }
    }

    /** Its client has none of its own, so that only the sidecar can tell of it. */
    @Test
    void theRoutesDeadlineAfterTheHeadEndsTheCallWithDeadlineExceeded() throws Exception {
        Server server = serve((message, responses) -> responses.onCompleted());
        String timed = LISTENER + "routes: [{ cluster: app, timeouts: { total: 1s } }]\n";
        try (SeamStand stand = SeamStand.start(timed, CLUSTER, server.getPort())) {
            ManagedChannel channel = channel(stand);
            List<byte[]> received = new CopyOnWriteArrayList<>();
            CompletableFuture<Status> ended = new CompletableFuture<>();
            chat(channel, received, ended).onNext(new byte[5]);
            Status status = ended.get(Await.TIMEOUT_MS, TimeUnit.MILLISECONDS);
            assertThat(status.getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
            assertThat(status.getDescription()).isEqualTo("The request took longer than allowed.");
            assertThat(received).hasSize(1);
            end(channel, server);
        }
    }

    @Test
    void aDeadlineCancelsTheCallAtTheServer() throws Exception {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        Server server = serve((message, responses) -> {
            if (message.length == 0) {
                responses.onNext(message);
                responses.onCompleted();
            } else {
                Context.current()
                        .addListener(context -> told.add(String.valueOf(context.isCancelled())), Runnable::run);
            }
        });
        try (SeamStand stand = SeamStand.start(LISTENER, CLUSTER, server.getPort())) {
            ManagedChannel channel = channel(stand);
            // with connections on both sides, the deadline is spent on the call alone
            assertThat(call(channel, CallOptions.DEFAULT, 0)).isEmpty();
            Status status = failure(channel, CallOptions.DEFAULT.withDeadlineAfter(500, TimeUnit.MILLISECONDS));
            assertThat(status.getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
            assertThat(told.poll(Await.TIMEOUT_MS, TimeUnit.MILLISECONDS)).isEqualTo("true");
            end(channel, server);
        }
    }

    @Test
    void aListedStatusIsTriedAgain() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        Server server = serve((message, responses) -> {
            if (calls.incrementAndGet() == 1) {
                responses.onError(Status.UNAVAILABLE.asRuntimeException());
            } else {
                responses.onNext(message);
                responses.onCompleted();
            }
        });
        String retries = CLUSTER + "retries: { grpc: [unavailable], back-off: 1ms }\n";
        try (SeamStand stand = SeamStand.start(LISTENER, retries, server.getPort())) {
            ManagedChannel channel = channel(stand);
            assertThat(call(channel, CallOptions.DEFAULT, 7)).hasSize(7);
            assertThat(calls).hasValue(2);
            end(channel, server);
        }
    }

    @Test
    void theSidecarsOwnFailureIsAStatus() throws Exception {
        Server unused = serve((message, responses) -> responses.onCompleted());
        try (DeadPort dead = new DeadPort();
                SeamStand stand = SeamStand.start(LISTENER, CLUSTER, dead.port())) {
            ManagedChannel channel = channel(stand);
            Status status = failure(channel, CallOptions.DEFAULT);
            assertThat(status.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(status.getDescription()).isEqualTo("The backend cannot be reached.");
            end(channel, unused);
        }
    }
}
