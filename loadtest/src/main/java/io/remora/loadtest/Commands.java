package io.remora.loadtest;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** A tool's talk with whoever started it: a command a line on standard input, one line of names and figures in answer to each. */
final class Commands {
    /** Answers one command, whose words are separated by single spaces. */
    interface Answerer {
        String answer(String[] words) throws Exception;
    }

    private Commands() {}

    /** Answers until standard input ends. A failure ends the tool: whoever waits for the answer finds the output closed. */
    static void serve(Answerer answerer) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            System.out.println(answerer.answer(line.split(" ", -1)));
            System.out.flush();
        }
    }
}
