package io.remora.finagle;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.TestAbortedException;

/**
 * The tests of the contract that cannot hold with this engine, each with its reason. A test of the list that passes fails the build,
 * so that nothing stays here that could hold. Registered for every class of this module, and at work only where the contract is run.
 */
public final class ContractExceptions implements InvocationInterceptor {
    /** Why tests are refused by their configuration; of whole classes, all tests are. */
    private static final Map<String, String> REFUSED = new TreeMap<>();

    /** Why tests fail, each of which is about the rule alone that is kept otherwise, and by which words. */
    private static final Map<String, Different> DIFFERENT = new TreeMap<>();

    /** Any other assertion that fails is a failure. */
    private record Different(String reason, String words) {}

    static {
        refuse(
                "E1: `breakers` is refused, since Finagle's limits apply to each pool.",
                "io.remora.pool.GoneWhileConnectingIT#leavesItsPlaceToTheNext",
                "io.remora.cluster.EjectionIT#whatIsTooMuchIsRefused");
        refuse(
                "E2: `retries` is refused, since Finagle uses separate retry rules.",
                "io.remora.exchange.AdmissionIT#countsAnAttemptThatHasTheWholeRequestFromItsBeginning",
                "io.remora.cluster.EjectionIT#retriesInFlightAreBounded",
                "io.remora.cluster.OutboundIT#whatIsCountedOfAHostsRetriesIsForgottenWithIt",
                "io.remora.exchange.RetryPolicyIT",
                "io.remora.reload.SnapshotSeamIT#aRetryThatIsDueOutlivesTheDrainOfItsCluster",
                "io.remora.log.AccessLogFieldsIT#whatWasSpokenIsOfTheLastAttempt");
        refuse(
                "E3: `resolver.keep-last` is refused, since Finagle keeps the last answer.",
                "io.remora.naming.EndpointsIT#aLostSourceKeepsItsLastAnswerForAsLongAsConfigured",
                "io.remora.naming.EndpointsIT#aSourceThatIsBackInTimeHasKeptItsConnections");
        refuse(
                "E4: `health-check` is refused, since Finagle only uses passive health checks.",
                "io.remora.cluster.EjectionIT#anEndpointThatIsDownIsPassedOver",
                "io.remora.cluster.EjectionIT#anEndpointThatAnswersWronglyIsPassedOver",
                "io.remora.cluster.EjectionIT#aCheckThatFailsEverywhereTakesNothingDown");
        refuse(
                "E5: `hedge` is refused, since Finagle receives one attempt per request.",
                "io.remora.feature.hedge.HedgeIT");
        refuse(
                "E6: `balancer: maglev` is refused, since Finagle has no such balancer.",
                "io.remora.balance.BalancersIT#aHashSticks",
                "io.remora.balance.BalancersIT#oneClientStaysAtOneEndpoint",
                "io.remora.balance.BalancersIT#theBoundBreaksUpWhatIsTooMuch",
                "io.remora.balance.BalancersIT#withoutTheHeaderARequestGoesAnywhere");
        refuse(
                "E7: `zone` and `priority` are refused, since Finagle's balancers support neither.",
                "io.remora.balance.BalancersIT#theNextPriorityHelps",
                "io.remora.balance.BalancersIT#theOwnZoneComesFirst");
        refuse(
                "E8: `balancer.slow-start` is refused, since Finagle's balancers have none.",
                "io.remora.balance.BalancersIT#whoJoinsStartsSlowly");
        differ(Difference.WEIGHTS, "io.remora.balance.BalancersIT#theHeavierHasItsTurnMoreOften", "[requests in turn]");
        differ(Difference.ALL_OUT, "io.remora.cluster.EjectionIT#theOtherOneStaysWhereBothFail", "[one stays in use]");
        differ(
                Difference.EACH_LOOP,
                "io.remora.cluster.EjectionIT#theLoopsShareWhatTheyKnow",
                "[failures on all loops]");
        differ(
                Difference.AVOIDED,
                "io.remora.cluster.EjectionIT#aDeadEndpointIsTriedByOneRequestAtATime",
                "[connects until it is out]");
        differ(Difference.PAGE, "io.remora.cluster.EjectionIT#thePageOfClustersTellsWhy", " reason=- for_s=-1 ");
        differ(
                Difference.PAGE,
                "io.remora.cluster.EjectionIT#thePageOfClustersTellsTheLatencyThatTheBalancerKnows",
                " latency_us=0");
    }

    private static void refuse(String reason, String... tests) {
        Arrays.asList(tests).forEach(test -> REFUSED.put(test, reason));
    }

    /**
     * @param words that the test's failure has
     */
    private static void differ(Difference difference, String test, String words) {
        DIFFERENT.put(test, new Different(difference.text(), words));
    }

    /** By test or class: why it cannot hold. */
    static Map<String, String> reasons() {
        Map<String, String> all = new TreeMap<>(REFUSED);
        DIFFERENT.forEach((test, different) -> all.put(test, different.reason));
        return all;
    }

    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> at, ExtensionContext context)
            throws Throwable {
        judge(invocation, at);
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> at, ExtensionContext context)
            throws Throwable {
        judge(invocation, at);
    }

    private static void judge(Invocation<Void> invocation, ReflectiveInvocationContext<Method> at) throws Throwable {
        String in = at.getTargetClass().getName();
        String test = in + '#' + at.getExecutable().getName();
        boolean contract = System.getProperty("remora.test.engine") != null;
        String refused = contract ? REFUSED.getOrDefault(in, REFUSED.get(test)) : null;
        Different different = contract ? DIFFERENT.get(test) : null;
        if (refused == null && different == null) {
            invocation.proceed();
            return;
        }
        try {
            invocation.proceed();
        } catch (IllegalArgumentException thrown) {
            // any other one is a failure
            if (refused == null || !String.valueOf(thrown.getMessage()).contains("engine finagle: ")) {
                throw thrown;
            }
            throw new TestAbortedException(refused, thrown);
        } catch (AssertionError thrown) {
            if (different == null || !String.valueOf(thrown.getMessage()).contains(different.words)) {
                throw thrown;
            }
            throw new TestAbortedException(different.reason, thrown);
        }
        throw new AssertionError(
                test + " passes, and is still a listed exception: " + reasons().get(test));
    }
}
