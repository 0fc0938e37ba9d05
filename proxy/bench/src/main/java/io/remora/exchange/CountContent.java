package io.remora.exchange;

import io.netty.buffer.ByteBuf;

/** Has every exchange joined by a filter that sees its content and hands it on. */
final class CountContent extends Stage {
    private long bytes;

    @Override
    public boolean pass(StagedRequest exchange) {
        exchange.join(new Filter() {
            private long seen;

            @Override
            public ByteBuf requestContent(ByteBuf content) {
                seen += content.readableBytes();
                return content;
            }

            @Override
            public ByteBuf responseContent(ByteBuf content) {
                seen += content.readableBytes();
                return content;
            }

            @Override
            public void ended(RequestView ended) {
                bytes += seen;
            }
        });
        return true;
    }
}
