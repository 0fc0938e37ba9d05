package io.remora.finagle;

import io.remora.config.model.Address;
import io.remora.metrics.AnnounceStats;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The record of one member of a serverset: its endpoints by name, as JSON in the form that Finagle's servers write. Not
 * thread safe.
 */
final class MemberRecord {
    private final MemberName.Member member;
    private final Map<String, Address> others = new TreeMap<>();
    private final List<AnnounceStats> stats = new ArrayList<>();
    private @Nullable Address main;
    /** True if it is in the set, as far as is known. */
    private boolean announced;

    MemberRecord(MemberName.Member member) {
        this.member = member;
    }

    /**
     * @param endpoint null for the main one
     */
    void put(@Nullable String endpoint, Address address, AnnounceStats counts) {
        // a listener that is several endpoints of the member is in one set
        if (!stats.contains(counts)) {
            stats.add(counts);
        }
        if (endpoint == null) {
            main = address;
        } else {
            others.put(endpoint, address);
        }
    }

    MemberName.Member member() {
        return member;
    }

    /** Counts for each of its listeners, where that is news. */
    void tell(boolean now) {
        if (now == announced) {
            return;
        }
        announced = now;
        for (AnnounceStats each : stats) {
            if (now) {
                each.entered();
            } else {
                each.left();
            }
        }
    }

    byte[] json() {
        return toString().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        if (main == null) {
            throw new IllegalStateException("judged before: " + member);
        }
        StringBuilder json = new StringBuilder(128).append("{\"serviceEndpoint\":");
        endpoint(json, main).append(",\"additionalEndpoints\":{");
        String comma = "";
        for (Map.Entry<String, Address> each : others.entrySet()) {
            json.append(comma).append('"').append(each.getKey()).append("\":");
            endpoint(json, each.getValue());
            comma = ",";
        }
        json.append("},\"status\":\"ALIVE\",\"shard\":").append(member.shard()).append('}');
        return json.toString();
    }

    // the configuration takes no host with a character that JSON would have escaped
    private static StringBuilder endpoint(StringBuilder json, Address address) {
        return json.append("{\"host\":\"")
                .append(address.host())
                .append("\",\"port\":")
                .append(address.port())
                .append('}');
    }
}
