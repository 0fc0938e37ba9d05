package io.remora.testkit;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** As many backends as a test asks for, which are gone with it. */
public final class Backends implements AfterEachCallback {
    private final List<RecordingBackend> all = new ArrayList<>();

    public RecordingBackend start() {
        RecordingBackend backend = RecordingBackend.start();
        all.add(backend);
        return backend;
    }

    /** In the order of their starts. */
    public List<RecordingBackend> all() {
        return all;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        all.forEach(RecordingBackend::close);
    }
}
