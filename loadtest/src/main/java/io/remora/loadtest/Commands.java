package io.remora.loadtest;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A tool's conversation: a command a line on standard input, answered by one line of names and numbers in turn, until
 * standard input ends.
 *
 * <p>A command that is unknown or fails ends the tool: whoever asked must not go on with a figure that is not there.
 */
final class Commands {
    static final String OK = "ok 1";

    /** Answers one command; {@code words[0]} is its name. */
    interface Command {
        String answer(String[] words) throws IOException, InterruptedException;
    }

    private Commands() {}

    static void serve(Map<String, Command> commands) throws IOException, InterruptedException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.trim().split(" +");
            Command command = commands.get(words[0]);
            if (command == null) {
                throw new IllegalArgumentException("no such command: " + line);
            }
            System.out.println(command.answer(words));
            System.out.flush();
        }
    }
}
