package io.remora.stages;

import io.remora.config.model.HeaderPolicy;
import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.http.Forwarding;
import io.remora.http.RequestHead;
import io.remora.http.RequestIds;

/**
 * Makes the request's fields what the backend gets: without those of the client's connection, with this hop's.
 *
 * <p>Spec: RFC 9110 section 7.6.
 */
public final class RewriteFields extends Stage {
    private final Forwarding forwarding;
    private final RequestIds requestIds;
    private final HeaderPolicy policy;

    /**
     * @param believes whether a stage before this one drops what peers say that are not believed
     */
    public RewriteFields(HeaderPolicy policy, boolean believes, RequestIds requestIds) {
        this.policy = policy;
        this.forwarding = new Forwarding(policy, believes);
        this.requestIds = requestIds;
    }

    @Override
    public boolean pass(StagedRequest exchange) {
        RequestHead head = exchange.head();
        head.leaveConnection();
        exchange.listener().via().append(head.fields, head.protocol);
        forwarding.apply(head, exchange.peer(), exchange.client(), exchange.scheme());
        boolean tells = forwarding.tellsCertificate();
        forwarding.applyCertificate(head.fields, tells ? exchange.forwardedCertificate(policy.clientCertPem()) : null);
        exchange.requestId(requestIds.apply(head, policy.requestId()));
        return true;
    }
}
