package io.remora.tcp;

import io.netty.buffer.ByteBuf;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.RequestHead;
import io.remora.stream.BackendStream;
import io.remora.stream.StreamClient;
import org.jspecify.annotations.Nullable;

/**
 * The one stream of a connection to an endpoint: a tunnel from its first octet. The exchange hears so as of a switch of
 * protocols, once it has handed over what came from the client before.
 *
 * <p>Owner: one connection.
 */
final class BackendTunnel extends BackendStream {
    private final TcpBackendConnection connection;
    private @Nullable StreamClient client;
    private boolean opened;
    private boolean outputEnded;
    private boolean anyByte;

    BackendTunnel(TcpBackendConnection connection, StreamClient client) {
        this.connection = connection;
        this.client = client;
    }

    @Override
    public String version() {
        return "TCP";
    }

    @Override
    public boolean isReused() {
        return false;
    }

    // ---- what the client says

    @Override
    public void send(RequestHead head) {
        // there is none on the wire
    }

    @Override
    public void content(ByteBuf content) {
        if (outputEnded || client == null) {
            content.release();
        } else {
            connection.write(content);
        }
    }

    @Override
    public void end(@Nullable Fields trailers) {
        if (!outputEnded) {
            outputEnded = true;
            connection.link().shutdownOutputBehindWrites(false);
        }
    }

    @Override
    public void flush() {
        connection.flush();
        StreamClient told = client;
        if (!opened && told != null) {
            opened = true;
            told.response(Heads.opened(), connection.loop().nowNs());
        }
    }

    @Override
    public void bound(int bytes) {
        connection.link().bound(bytes, connection.loop().memory());
    }

    @Override
    public boolean isWritable() {
        return connection.isWritable();
    }

    void writabilityChanged(boolean writable) {
        if (client != null) {
            client.writable(writable);
        }
    }

    // ---- what the endpoint says

    void take(ByteBuf bytes) {
        StreamClient told = client;
        if (told == null) {
            bytes.release();
        } else {
            anyByte = true;
            told.content(bytes);
        }
    }

    void readComplete() {
        if (client != null) {
            client.readComplete();
        }
    }

    /** Called once the endpoint has ended its side. */
    void inputEnded() {
        if (client != null) {
            client.end(null);
        }
    }

    @Override
    public void read(boolean wanted) {
        connection.read(wanted);
    }

    @Override
    public void openTunnel() {
        // it has been one from its first octet
    }

    // ---- the end

    /** The endpoint's side broke. */
    void broken() {
        StreamClient told = client;
        if (told != null) {
            client = null;
            connection.tunnelEnded(false, 0);
            told.broken(Failure.BACKEND_CLOSED, anyByte);
        }
    }

    @Override
    public void release() {
        end(true);
    }

    @Override
    public void reset() {
        end(false);
    }

    private void end(boolean inOrder) {
        StreamClient told = client;
        if (told != null) {
            client = null;
            // who only looks whether there is an endpoint has nothing to say to it
            connection.tunnelEnded(inOrder || !opened, told.bodyIdleNs());
        }
    }
}
