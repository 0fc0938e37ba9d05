package io.remora.admin;

import io.netty.channel.ChannelHandlerContext;
import io.remora.http1.WholeRequests;
import io.remora.log.Log;
import java.util.concurrent.RejectedExecutionException;

/** Waits for the answer of a page that takes a while. Thread safe. Cost: loaded by the first such request. */
final class LaterAnswer implements ReloadOutcome, Runnable {
    private final AdminConnection connection;
    private final ChannelHandlerContext context;
    private volatile Reply reply;

    @SuppressWarnings("NullAway.Init") // Set before it is run.
    private LaterAnswer(AdminConnection connection, ChannelHandlerContext context) {
        this.connection = connection;
        this.context = context;
    }

    static void begin(Pages pages, WholeRequests request, AdminConnection connection, ChannelHandlerContext context) {
        pages.begin(request, new LaterAnswer(connection, context));
    }

    @Override
    public void told(int status, String text) {
        // a response that never has a body has no length either
        boolean empty = status == 204 || status == 304;
        reply = empty ? new Reply(status, Reply.TEXT, null, null) : Reply.text(status, text);
        try {
            context.executor().execute(this);
        } catch (RejectedExecutionException e) {
            // the admin listener has closed meanwhile, and the connection with it
            Log.debug("admin: closed before a response of status " + status + "; dropping it");
        }
    }

    /** Sends the answer, on the admin thread. */
    @Override
    public void run() {
        connection.answered(context, reply);
    }
}
