package io.remora.finagle;

import java.lang.reflect.Method;
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
    private static final String BREAKERS = "E1: `breakers` is refused, since Finagle's bounds are those of each pool.";
    private static final String RETRIES = "E2: `retries` is refused, since Finagle repeats by its own rules.";
    private static final String KEEP_LAST = "E3: `resolver.keep-last` is refused, since Finagle keeps the last answer.";

    private static final Map<String, String> REASONS = new TreeMap<>(Map.ofEntries(
            Map.entry("io.remora.dataplane.GoneWhileConnectingIT#leavesItsPlaceToTheNext", BREAKERS),
            Map.entry("io.remora.AdmissionIT#countsAnAttemptThatHasTheWholeRequestFromItsBeginning", RETRIES),
            Map.entry("io.remora.OutboundIT#whatIsCountedOfAHostsRetriesIsForgottenWithIt", RETRIES),
            Map.entry("io.remora.EndpointsIT#aLostSourceKeepsItsLastAnswerForAsLongAsConfigured", KEEP_LAST),
            Map.entry("io.remora.EndpointsIT#aSourceThatIsBackInTimeHasKeptItsConnections", KEEP_LAST)));

    /** By test: why it cannot hold. */
    static Map<String, String> reasons() {
        return REASONS;
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
        String test = at.getTargetClass().getName() + '#' + at.getExecutable().getName();
        String reason = System.getProperty("remora.test.engine") == null ? null : REASONS.get(test);
        if (reason == null) {
            invocation.proceed();
            return;
        }
        try {
            invocation.proceed();
        } catch (IllegalArgumentException refused) {
            // all of the list are refused by their configuration; a failure of any other kind is one
            if (String.valueOf(refused.getMessage()).contains("engine finagle: ")) {
                throw new TestAbortedException(reason, refused);
            }
            throw refused;
        }
        throw new AssertionError(test + " passes, and is still a listed exception: " + reason);
    }
}
