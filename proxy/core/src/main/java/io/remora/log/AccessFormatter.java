package io.remora.log;

import io.remora.log.AccessLogConfig.Format;
import org.jspecify.annotations.Nullable;

/**
 * Formats an entry as one line.
 *
 * <p>Owner: the writer thread. Cost: no allocation per line; two strings whenever the clock reaches a new second.
 */
final class AccessFormatter {
    private final boolean json;
    private long second = Long.MIN_VALUE;
    private String secondText = "";

    AccessFormatter(Format format) {
        json = format == Format.JSON;
    }

    void append(LineBuffer line, AccessEntry entry) {
        if (json) {
            appendJson(line, entry);
        } else {
            appendCombined(line, entry);
        }
        line.append('\n');
    }

    private void appendJson(LineBuffer line, AccessEntry entry) {
        line.append("{\"time\":\"");
        line.append(secondText(entry.timeMs()));
        line.append('.');
        int ms = (int) Math.floorMod(entry.timeMs(), 1_000L);
        line.append((char) ('0' + ms / 100));
        line.append((char) ('0' + ms / 10 % 10));
        line.append((char) ('0' + ms % 10));
        line.append("Z\"");
        text(line, ",\"listener\":", entry.listener());
        text(line, ",\"client\":", entry.client());
        text(line, ",\"identity\":", entry.identity());
        text(line, ",\"method\":", entry.method());
        text(line, ",\"target\":", entry.target());
        text(line, ",\"version\":", entry.version());
        text(line, ",\"host\":", entry.host());
        number(line, ",\"status\":", entry.status());
        text(line, ",\"failure\":", entry.failure());
        text(line, ",\"reason\":", entry.reason());
        number(line, ",\"request_bytes\":", entry.requestBytes());
        number(line, ",\"response_bytes\":", entry.responseBytes());
        number(line, ",\"total_us\":", entry.totalUs());
        number(line, ",\"backend_us\":", entry.backendUs());
        number(line, ",\"proxy_us\":", entry.proxyUs());
        text(line, ",\"route\":", entry.route());
        text(line, ",\"endpoint\":", entry.endpoint());
        text(line, ",\"request_id\":", entry.requestId());
        text(line, ",\"referer\":", entry.referer());
        text(line, ",\"user_agent\":", entry.userAgent());
        text(line, ",\"cluster\":", entry.cluster());
        text(line, ",\"trace_id\":", entry.traceId());
        number(line, ",\"attempts\":", entry.attempts());
        text(line, ",\"attempt_failure\":", entry.attemptFailure());
        text(line, ",\"tls_version\":", entry.tlsVersion());
        text(line, ",\"tls_cipher\":", entry.tlsCipher());
        text(line, ",\"backend_version\":", entry.backendVersion());
        text(line, ",\"grpc_status\":", entry.grpcStatus());
        line.append('}');
    }

    private static void text(LineBuffer line, String name, @Nullable String value) {
        line.append(name);
        line.appendJson(value);
    }

    private static void number(LineBuffer line, String name, long value) {
        line.append(name);
        line.append(value);
    }

    private void appendCombined(LineBuffer line, AccessEntry entry) {
        line.appendCombined(entry.client());
        line.append(" - ");
        line.appendCombined(entry.identity());
        line.append(" [");
        line.append(secondText(entry.timeMs()));
        line.append("] \"");
        line.appendCombined(entry.method());
        line.append(' ');
        line.appendCombined(entry.target());
        line.append(' ');
        line.appendCombined(entry.version());
        line.append("\" ");
        line.append(entry.status());
        line.append(' ');
        line.append(entry.responseBytes());
        line.append(" \"");
        line.appendCombined(entry.referer());
        line.append("\" \"");
        line.appendCombined(entry.userAgent());
        line.append("\" ");
        line.append(entry.totalUs());
        line.append(' ');
        line.append(entry.backendUs());
        line.append(' ');
        line.append(entry.proxyUs());
        line.append(' ');
        line.appendCombined(entry.failure());
    }

    private String secondText(long timeMs) {
        long wanted = Math.floorDiv(timeMs, 1_000L);
        if (wanted != second) {
            StringBuilder text = new StringBuilder(28);
            if (json) {
                UtcTime.appendIsoSecond(text, wanted);
            } else {
                UtcTime.appendCommonLog(text, wanted);
            }
            second = wanted;
            secondText = text.toString();
        }
        return secondText;
    }
}
