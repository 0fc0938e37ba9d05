package io.remora.testkit;

import java.io.IOException;

/** What a test does at a given moment. */
@FunctionalInterface
public interface Action {
    void run() throws IOException;
}
