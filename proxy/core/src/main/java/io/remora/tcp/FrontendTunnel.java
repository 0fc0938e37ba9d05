package io.remora.tcp;

import io.netty.buffer.ByteBuf;
import io.remora.exchange.Frontend;
import io.remora.http.Fields;
import io.remora.http.ResponseHead;
import org.jspecify.annotations.Nullable;

/**
 * Frontend of a tunnel: the client as its exchange sees it. Owner: one connection. Bounds: the channel's water marks.
 */
final class FrontendTunnel extends Frontend {
    private final TcpFrontendConnection connection;

    FrontendTunnel(TcpFrontendConnection connection) {
        super(connection.link());
        this.connection = connection;
    }

    @Override
    public String version() {
        return "TCP";
    }

    @Override
    public boolean isRaw() {
        return true;
    }

    // ---- there is nobody to answer

    @Override
    public void respondInterim(ResponseHead head) {
        // a client that speaks no HTTP would not understand it
    }

    @Override
    public void respond(ResponseHead head, boolean last) {
        connection.reset();
    }

    // ---- what the backend says

    @Override
    public void respondContent(ByteBuf content) {
        connection.write(content);
    }

    @Override
    public void respondEnd(@Nullable Fields trailers) {
        connection.endOutput();
    }

    @Override
    public void flush() {
        connection.flush();
    }

    @Override
    public void bound(int bytes) {
        connection.memory().bound(bytes);
    }

    @Override
    public boolean keeps(int grant, int held) {
        return connection.keeps(grant, held);
    }

    @Override
    public boolean isWritable() {
        return connection.isWritable();
    }

    @Override
    public void readBody(boolean wanted) {
        connection.read(wanted);
    }

    @Override
    public void openTunnel(ResponseHead head) {
        // it has been one from its first octet
    }

    @Override
    public void tunnelOpened() {
        connection.opened();
    }

    // ---- the end

    @Override
    public void abort() {
        connection.reset();
    }

    @Override
    public void exchangeDone() {
        connection.exchangeDone();
    }
}
