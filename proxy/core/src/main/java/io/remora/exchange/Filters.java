package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import org.jspecify.annotations.Nullable;

/**
 * The filters that have joined an exchange, in their order. Most exchanges have none, and pay a null check for it.
 *
 * <p>Owner: the exchange.
 */
final class Filters {
    private @Nullable Filter first;
    private @Nullable Filter last;

    void add(Filter filter) {
        filter.previous = last;
        if (last == null) {
            first = filter;
        } else {
            last.next = filter;
        }
        last = filter;
    }

    /** Takes over {@code content}; returns what is left of it after all filters, null for nothing. */
    @Nullable
    ByteBuf requestContent(ByteBuf content) {
        return requestContent(first, content);
    }

    private static @Nullable ByteBuf requestContent(@Nullable Filter from, @Nullable ByteBuf content) {
        ByteBuf filtered = content;
        for (Filter filter = from; filter != null && filtered != null; filter = filter.next) {
            filtered = filter.requestContent(filtered);
        }
        return filtered;
    }

    /** Tells every filter that the request's content is over, and hands on what they still have to say. */
    void requestEnd(RequestRelay relay) {
        for (Filter filter = first; filter != null; filter = filter.next) {
            ByteBuf rest = requestContent(filter.next, filter.requestEnd());
            if (rest != null) {
                relay.write(rest);
            }
        }
    }

    void attempt(RequestHead head, AttemptView attempt) {
        for (Filter filter = first; filter != null; filter = filter.next) {
            filter.attempt(head, attempt);
        }
    }

    void picked(AttemptView attempt) {
        for (Filter filter = first; filter != null; filter = filter.next) {
            filter.picked(attempt);
        }
    }

    void sends(RequestHead head, AttemptView attempt) {
        for (Filter filter = first; filter != null; filter = filter.next) {
            filter.sends(head, attempt);
        }
    }

    void answered(AttemptView attempt) {
        for (Filter filter = last; filter != null; filter = filter.previous) {
            filter.answered(attempt);
        }
    }

    void attemptEnded(AttemptView attempt) {
        attemptEnded(last, attempt);
    }

    // what one of them throws keeps no other from what it has to release
    private static void attemptEnded(@Nullable Filter from, AttemptView attempt) {
        Filter filter = from;
        try {
            for (; filter != null; filter = filter.previous) {
                filter.attemptEnded(attempt);
            }
        } finally {
            if (filter != null) {
                attemptEnded(filter.previous, attempt);
            }
        }
    }

    void responseHead(ResponseHead head) {
        for (Filter filter = last; filter != null; filter = filter.previous) {
            filter.responseHead(head);
        }
    }

    /** Takes over {@code content}; returns what is left of it after all filters, null for nothing. */
    @Nullable
    ByteBuf responseContent(ByteBuf content) {
        return responseContent(last, content);
    }

    private static @Nullable ByteBuf responseContent(@Nullable Filter from, @Nullable ByteBuf content) {
        ByteBuf filtered = content;
        for (Filter filter = from; filter != null && filtered != null; filter = filter.previous) {
            filtered = filter.responseContent(filtered);
        }
        return filtered;
    }

    /** Tells every filter that the response's content is over, and hands on what they still have to say. */
    void responseEnd(ResponseRelay relay) {
        for (Filter filter = last; filter != null; filter = filter.previous) {
            ByteBuf rest = responseContent(filter.previous, filter.responseEnd());
            if (rest != null) {
                relay.write(rest);
            }
        }
    }

    void ended(RequestView exchange) {
        ended(last, exchange);
    }

    private static void ended(@Nullable Filter from, RequestView exchange) {
        Filter filter = from;
        try {
            for (; filter != null; filter = filter.previous) {
                filter.ended(exchange);
            }
        } finally {
            if (filter != null) {
                ended(filter.previous, exchange);
            }
        }
    }
}
