package io.remora.compilelog;

/** Totals of one level of compilation. */
final class LevelTotals {
    long queued;
    long compiled;
    long osr;
    long failed;
    long codeBytes;
    long compileMs;
    long longestMs;
    String longestMethod = "";

    void compiledIn(long ms, String method) {
        compileMs += ms;
        if (ms >= longestMs) {
            longestMs = ms;
            longestMethod = method;
        }
    }
}
