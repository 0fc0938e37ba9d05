package io.remora.config;

import java.util.ArrayList;
import java.util.List;

/** What a cluster does about failures, for {@link ConfigText}. Loaded only where there is something of it. */
final class ResilienceText {
    private final ConfigText text;

    ResilienceText(ConfigText text) {
        this.text = text;
    }

    void retries(RetryConfig retries) {
        text.number(RetryKeys.ATTEMPTS, retries.attempts());
        List<String> statuses = new ArrayList<>();
        for (Integer status : retries.statuses()) {
            statuses.add(status.toString());
        }
        text.list(RetryKeys.STATUSES, statuses, "[]");
        text.number(RetryKeys.BODY, retries.bodyBytes());
        text.number(RetryKeys.BACK_OFF, retries.backOffNs());
    }
}
