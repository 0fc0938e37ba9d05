package io.remora.text;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Suggestions for an unknown word. Loaded only when there is one. */
public final class Nearest {
    private Nearest() {}

    /** The end of a message: the nearest candidate, or all of them where none is near. */
    public static String hint(String word, List<String> candidates) {
        String nearest = of(word, candidates);
        return nearest != null
                ? ", did you mean " + Ascii.quote(nearest) + "?"
                : ", expected " + (candidates.size() == 1 ? "" : "one of ") + list(candidates);
    }

    public static String list(List<String> words) {
        StringBuilder list = new StringBuilder();
        for (String word : words) {
            list.append(list.length() == 0 ? "" : ", ").append(word);
        }
        return list.toString();
    }

    /** The candidate with the fewest edits, when these are few for the length of the word. */
    private static @Nullable String of(String word, List<String> candidates) {
        String nearest = null;
        int fewest = (word.length() + 2) / 3 + 1;
        for (String candidate : candidates) {
            boolean farInLength = Math.abs(candidate.length() - word.length()) >= fewest;
            int edits = farInLength ? fewest : edits(word.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
            if (edits < fewest) {
                fewest = edits;
                nearest = candidate;
            }
        }
        return nearest;
    }

    /** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
    private static int edits(String a, String b) {
        int[][] edits = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    edits[i][j] = i + j;
                    continue;
                }
                int replaced = edits[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                int shortened = Math.min(edits[i - 1][j], edits[i][j - 1]) + 1;
                edits[i][j] = Math.min(replaced, shortened);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    edits[i][j] = Math.min(edits[i][j], edits[i - 2][j - 2] + 1);
                }
            }
        }
        return edits[a.length()][b.length()];
    }
}
