package io.remora.finagle;

import com.twitter.finagle.Dtab;
import com.twitter.finagle.Name;
import com.twitter.finagle.NameTree;
import com.twitter.finagle.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Follows a name through a dtab to all the places that it may lead to, whichever of them are there. Finagle itself bounds how deep
 * it follows a name, and not how often: {@code /a => /a & /a} would take it longer than anybody waits.
 */
final class NameWalk {
    /** One less than Finagle, for which the place at the end is a step as well. */
    private static final int DEEPEST = 99;

    private static final int LONGEST = 1_000;

    private final Dtab dtab;
    private final Set<Path> ends = new LinkedHashSet<>();
    private int steps;

    private NameWalk(Dtab dtab) {
        this.dtab = dtab;
    }

    /**
     * The names at which no delegation goes on, in the order in which they are preferred.
     *
     * @throws IllegalArgumentException where it leads further than anybody follows it
     */
    static Set<Path> ends(Dtab dtab, Path from) {
        NameWalk walk = new NameWalk(dtab);
        walk.follow(from, 0);
        return walk.ends;
    }

    /** Returns whether no delegation goes on. */
    static boolean isEnd(NameTree<?> next) {
        return next instanceof NameTree.Neg$;
    }

    private void follow(Path path, int depth) {
        if (depth > DEEPEST || ++steps > LONGEST) {
            throw new IllegalArgumentException("its delegations go round, or on for more than " + DEEPEST
                    + " steps in a row, or " + LONGEST + " in all");
        }
        NameTree<Name.Path> next = dtab.lookup(path);
        if (isEnd(next)) {
            ends.add(path);
        } else {
            follow(next, depth + 1);
        }
    }

    private void follow(NameTree<Name.Path> tree, int depth) {
        if (tree instanceof NameTree.Leaf<Name.Path> leaf) {
            follow(leaf.value().path(), depth);
        } else if (tree instanceof NameTree.Alt<Name.Path> alt) {
            for (NameTree<Name.Path> each : CollectionConverters.asJava(alt.trees())) {
                follow(each, depth);
            }
        } else if (tree instanceof NameTree.Union<Name.Path> union) {
            for (NameTree.Weighted<Name.Path> each : CollectionConverters.asJava(union.trees())) {
                follow(each.tree(), depth);
            }
        }
    }
}
