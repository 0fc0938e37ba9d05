package io.remora.compilelog;

import java.io.IOException;
import java.io.InputStream;

/**
 * Reader of compilation logs: that of the VM, then, if the VM was killed, those of its compile threads.
 *
 * <p>Cost: one pass, and a string for each name in an element that is needed.
 */
final class LogReader {
    private final Compilations all;
    private final VmEvents vm;
    private final TaskEvents tasks;

    LogReader(Compilations all) {
        this.all = all;
        vm = new VmEvents(all);
        tasks = new TaskEvents(all);
    }

    /**
     * Reads a log to its end.
     *
     * @param file its name for messages
     * @throws MalformedLogException if it is no compilation log, or has a malformed element
     */
    void read(InputStream in, String file) throws IOException {
        LogScanner scanner = new LogScanner(in, file);
        tasks.beginFile();
        LogElement element = scanner.next();
        while (element != null) {
            read(element, scanner);
            element = scanner.next();
        }
        vm.end();
        all.facts.end(scanner);
    }

    private void read(LogElement element, LogScanner scanner) throws IOException {
        switch (element) {
            case HOTSPOT_LOG -> {
                all.facts.begin(scanner);
                tasks.beginVm(scanner);
            }
            case START_COMPILE_THREAD -> {
                vm.end();
                all.facts.begin(scanner);
                tasks.beginThread(scanner);
            }
            case HOTSPOT_LOG_DONE -> all.facts.complete();
            case THREAD_LOGFILE -> all.threadFile(scanner.text("filename", ""));
            case TASK, TASK_DONE, CODE_CACHE, FAILURE, KLASS, METHOD, CALL, LATE_INLINE, INLINE_SUCCESS, INLINE_FAIL ->
                tasks.read(element, scanner);
            default -> vm.read(element, scanner);
        }
    }
}
