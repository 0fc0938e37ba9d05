package io.remora.admin;

import io.netty.channel.ChannelHandlerContext;
import io.remora.http1.WholeRequests;
import io.remora.log.Log;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;

/** Waits for the answer of a page that takes a while. Thread safe. Cost: loaded by the first such request. */
final class LaterAnswer implements LaterReply, Runnable {
    private final AdminConnection connection;
    private final ChannelHandlerContext context;
    private final boolean chunked;
    private volatile Reply reply;

    @SuppressWarnings("NullAway.Init") // Set before it is run.
    private LaterAnswer(AdminConnection connection, ChannelHandlerContext context, boolean chunked) {
        this.connection = connection;
        this.context = context;
        this.chunked = chunked;
    }

    static void begin(Pages pages, WholeRequests request, AdminConnection connection, ChannelHandlerContext context) {
        pages.begin(request, new LaterAnswer(connection, context, request.isHttp11()));
    }

    @Override
    public String peer() {
        String peer = String.valueOf(context.channel().remoteAddress());
        // without the name in front of an address, which none has; a Unix socket's client has neither
        return peer.startsWith("/") ? peer.substring(1) : peer.isEmpty() ? "unix" : peer;
    }

    @Override
    public StreamedAnswer stream(String contentType) throws IOException {
        Runnable step = new Runnable() {
            @Override
            public void run() {
                connection.streams();
            }
        };
        return StreamedAnswer.begin(context, connection.stepNs(), step, connection, chunked, contentType);
    }

    @Override
    public void told(int status, String text) {
        // a response that never has a body has no length either
        boolean empty = status == 204 || status == 304;
        reply = empty ? new Reply(status, Reply.TEXT, null, null) : Reply.text(status, text);
        execute(this);
    }

    @Override
    public void execute(Runnable task) {
        try {
            context.executor().execute(task);
        } catch (RejectedExecutionException e) {
            // the admin listener has closed meanwhile, and the connection with it
            Log.debug("admin: closed during a slow page; dropping its task");
        }
    }

    /** Sends the answer, on the admin thread. */
    @Override
    public void run() {
        connection.answered(context, reply);
    }
}
