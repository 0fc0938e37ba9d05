package io.remora.http1;

import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;

/** Netty's response encoder, told whether the response is to a HEAD. Owner: one frontend. */
final class ResponseEncoder extends HttpResponseEncoder {
    private boolean toHead;

    void toHead(boolean isHead) {
        toHead = isHead;
    }

    @Override
    protected boolean isContentAlwaysEmpty(HttpResponse response) {
        return toHead || super.isContentAlwaysEmpty(response);
    }
}
