package io.remora.feature;

/**
 * A place on the path of a request, in the order in which a request passes them. Stages at one slot stand in the order in which they
 * were added. Each constant says why it stands where it does; a stage that needs another reason needs a slot of its own.
 */
public enum Slot {
    /** Times what a client waits for, refusals included, so it stands above all other stages. */
    RECORD,
    /** Counts every request by its outcome, so it stands above all stages that refuse. */
    COUNT,
    /** Answers nothing, and times every response: those of refusals, too. */
    TIME,
    /** The log names the client of a refused request as well, and no stage below sees a field that is not trusted. */
    TRUST,
    /** Needs the client's address. A client that the listener is not for learns nothing else, not even of its load. */
    CLIENTS,
    /** Needs to know whether the peer is trusted, and traces only for clients that are let in; a refusal below has a trace. */
    TRACE,
    /** A sidecar that is overloaded must not spend anything on a request that it will refuse. */
    ADMIT,
    /** Above all stages that cost more than its refusal, so that it limits their refusals as well. */
    LIMIT,
    /** Below what needs no measurement, so that it measures only requests that go on. */
    ADAPT,
    /** Above every stage that answers: a client without the identity learns nothing else here. */
    IDENTITY,
    /** Before anything is answered: the body of a request that gets 413 must not be read. */
    BODY,
    /** Above the count of hops, whose own answer would hide a loop. */
    LOOP,
    /** Above routing: a request that may travel no further needs no route. */
    HOPS,
    /** Sees the request as the client sent it: routes may match fields that a stage below removes. */
    ROUTE,
    /** Directly below routing, which says whom the route is for. */
    ROUTE_IDENTITY,
    /** Below the identities, as a stranger learns nothing of the route's clients. */
    ROUTE_CLIENTS,
    /** Below the identities and the clients, so that strangers use up nobody's requests. */
    ROUTE_LIMIT,
    /** Below all stages that refuse, so that a fault hits only requests that an endpoint would get; its delay counts for deadlines. */
    FAULT,
    /** Below routing, as each route has its own latencies; above the attempts that are measured by them. */
    HEDGE,
    /** Below the stage that removes untrusted fields; above the attempts, which the deadline bounds. */
    DEADLINE,
    /** Below the stage that removes untrusted fields; above the attempts, which go where the dtab leads. */
    DTAB,
    /** Below routing, as only a forwarded request needs it; above the attempts, which all send the same fields. */
    REWRITE,
    /** Below the stages that use the route as the listener has it; above its actions, which may name the cluster. */
    CLUSTER,
    /**
     * Below this hop's fields: no field that is set here is removed for a client's Connection. The request has its id by now, and
     * X-Forwarded-Host the name that the client used.
     */
    ACT,
    /** Below all stages that change a request: a copy is what the endpoint gets. */
    MIRROR,
    /** Last: picks an endpoint, leases a connection and sends. */
    DISPATCH
}
