package io.remora.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a test class of the sidecar's contract: what it promises on every engine. Such a class sees the sidecar through sockets and
 * admin pages only, and {@code ContractTest} holds it to the test kit.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@EveryEngine
public @interface Contract {}
