package io.remora.config.yaml;

import io.remora.config.keys.RetryKeys;
import io.remora.config.keys.Units;
import io.remora.config.model.RetryConfig;
import java.util.ArrayList;
import java.util.List;

/** Reads {@code retries}, of a cluster or of a route. Loaded only where they are configured. */
final class RetryReader {
    private static final List<Integer> STATUSES = List.of(502, 503, 504);
    private static final int MIN_STATUS = 400;
    private static final int MAX_STATUS = 599;

    /** All statuses but that of success, in the order of their numbers. */
    static final List<String> GRPC = List.of(
            "cancelled",
            "unknown",
            "invalid-argument",
            "deadline-exceeded",
            "not-found",
            "already-exists",
            "permission-denied",
            "resource-exhausted",
            "failed-precondition",
            "aborted",
            "out-of-range",
            "unimplemented",
            "internal",
            "unavailable",
            "data-loss",
            "unauthenticated");

    private RetryReader() {}

    static RetryConfig read(Section section, Problems problems) {
        RetryConfig retries = new RetryConfig(
                section.integer(RetryKeys.ATTEMPTS),
                statuses(section, problems),
                grpc(section, problems),
                section.integer(RetryKeys.BODY),
                section.number(RetryKeys.BACK_OFF));
        section.end();
        return retries;
    }

    private static List<Integer> statuses(Section section, Problems problems) {
        Node list = section.value(RetryKeys.STATUSES);
        if (list == null) {
            return STATUSES;
        }
        if (list.kind != Node.Kind.LIST) {
            problems.at(list, RetryKeys.STATUSES.name + " is " + list.quoted() + ", expected a list, or [] for none");
            return STATUSES;
        }
        List<Integer> statuses = new ArrayList<>();
        for (Node item : list.children) {
            long status = item.number(Units.NONE, "status", MIN_STATUS, MIN_STATUS, MAX_STATUS, problems);
            if (statuses.contains((int) status) && !item.isBroken()) {
                problems.at(item, "status " + item.quoted() + " a second time, expected each once");
            }
            statuses.add((int) status);
        }
        return List.copyOf(statuses);
    }

    private static List<String> grpc(Section section, Problems problems) {
        Node list = section.value(RetryKeys.GRPC);
        if (list == null) {
            return List.of();
        }
        if (list.kind != Node.Kind.LIST) {
            problems.at(list, RetryKeys.GRPC.name + " is " + list.quoted() + ", expected a list, or [] for none");
            return List.of();
        }
        List<String> statuses = new ArrayList<>();
        for (Node item : list.children) {
            if (item.kind != Node.Kind.TEXT || !GRPC.contains(item.text)) {
                String hint = item.kind == Node.Kind.TEXT ? Nearest.hint(item.text, GRPC) : ", expected text";
                problems.at(item, "status " + item.quoted() + " is none of gRPC" + hint);
            } else if (statuses.contains(item.text)) {
                problems.at(item, "status " + item.quoted() + " a second time, expected each once");
            }
            statuses.add(item.text);
        }
        return List.copyOf(statuses);
    }
}
