package io.remora.config.yaml;

import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;

/**
 * The rules of {@code protocol: tcp} for a listener, its routes and a cluster. Keys about HTTP are refused, so that
 * nobody takes them to be in effect.
 */
final class TcpRules {
    private final Problems problems;

    TcpRules(Problems problems) {
        this.problems = problems;
    }

    void refuse(Section section, Key... keys) {
        for (Key key : keys) {
            Node given = section.value(key);
            if (given != null && !given.isText(Key.OFF)) {
                problems.at(given, key.name + " is not supported with protocol: tcp");
            }
        }
    }

    void listener(Section listener) {
        refuse(
                listener,
                ListenerKeys.HTTP2,
                ListenerKeys.HEADERS,
                ListenerKeys.UNDERSCORES_IN_HEADERS,
                ListenerKeys.PATH_MODE,
                ListenerKeys.REFUSE_IN_PATH,
                ListenerKeys.CLIENT_HALF_CLOSE,
                ListenerKeys.ERRORS,
                ListenerKeys.ADMISSION,
                ListenerKeys.REQUEST_DTAB,
                ListenerKeys.ANNOUNCE);
        refuse(
                listener.section(ListenerKeys.LIMITS),
                ListenerKeys.REQUEST_LINE,
                ListenerKeys.HEADER_BLOCK,
                ListenerKeys.HEADER_FIELDS,
                ListenerKeys.BODY);
        refuse(listener.section(ListenerKeys.TIMEOUTS), ListenerKeys.MAX_CONNECTION_AGE, ListenerKeys.CALLER_HEADER);
    }

    void route(Section route) {
        refuse(route, ListenerKeys.ROUTE_CLUSTER_FROM, ListenerKeys.ROUTE_RETRIES, ListenerKeys.ROUTE_DTAB);
        refuse(
                route.section(ListenerKeys.ROUTE_TIMEOUTS),
                ListenerKeys.TOTAL,
                ListenerKeys.TRY,
                ListenerKeys.STREAM_IDLE);
    }

    void cluster(Section cluster) {
        refuse(
                cluster,
                ClusterKeys.HTTP2,
                ClusterKeys.TEMPLATE,
                ClusterKeys.DEST,
                ClusterKeys.MAX_IDLE_CONNECTIONS,
                ClusterKeys.RETRIES);
        refuse(cluster.section(ClusterKeys.LIMITS), ClusterKeys.HEADER_BLOCK);
        refuse(
                cluster.section(ClusterKeys.TIMEOUTS),
                ClusterKeys.RESPONSE_HEADER,
                ClusterKeys.IDLE,
                ClusterKeys.MAX_CONNECTION_AGE);
    }
}
