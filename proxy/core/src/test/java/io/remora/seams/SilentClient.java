package io.remora.seams;

import io.netty.buffer.ByteBuf;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.ResponseHead;
import io.remora.stream.BackendStream;
import io.remora.stream.RequestAttributes;
import io.remora.stream.StreamClient;
import io.remora.stream.Target;
import org.jspecify.annotations.Nullable;

/** Asks for a stream and does nothing about what it hears, but for the target that it is given. */
public final class SilentClient extends StreamClient {
    private final String address;
    private @Nullable Target target;
    private @Nullable Failure failure;

    public SilentClient(String address) {
        this.address = address;
    }

    public @Nullable Target target() {
        return target;
    }

    public @Nullable Failure failure() {
        return failure;
    }

    @Override
    public RequestAttributes attributes() {
        return RequestAttributes.ofClient(address);
    }

    @Override
    public void picked(Target endpoint) {
        target = endpoint;
    }

    @Override
    public void refused(Failure why) {
        failure = why;
    }

    @Override
    public long bodyIdleNs() {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean isGone() {
        return false;
    }

    @Override
    public void ready(BackendStream stream) {}

    @Override
    public void response(ResponseHead head, long readyNs) {}

    @Override
    public void content(ByteBuf content) {
        content.release();
    }

    @Override
    public void end(@Nullable Fields trailers) {}

    @Override
    public void readComplete() {}

    @Override
    public void writable(boolean writable) {}

    @Override
    public void broken(Failure why, boolean anyByte) {}
}
