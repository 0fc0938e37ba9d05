package io.remora.finagle;

import com.twitter.finagle.Dentry;
import com.twitter.finagle.Dtab;
import com.twitter.finagle.NameTree;
import com.twitter.finagle.Path;
import io.remora.http.RequestDtab;
import java.util.ArrayList;
import java.util.List;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Reads and judges the dtabs that requests bring. A delegation is allowed if its right side begins as an allowed name.
 * From such names only the configuration's delegations, and allowed ones again, lead on.
 */
final class RequestDtabs {
    private static final int LONGEST = 2_048;
    /** The most alternatives, unions and parentheses, which Finagle follows and reads by nested calls. */
    private static final int MOST_BRANCHES = 64;

    private static final String BRANCHES = "|&(";

    private final List<Path> allowed = new ArrayList<>();

    private RequestDtabs(List<String> allowed) {
        for (String name : allowed) {
            this.allowed.add(Path.read(name));
        }
    }

    /**
     * @throws Refused where it cannot be read, or leads where it may not
     */
    static Dtab read(RequestDtab asked) throws Refused {
        int length = 0;
        int branches = 0;
        for (String text : asked.texts()) {
            length += text.length();
            for (int i = 0; i < text.length(); i++) {
                branches += BRANCHES.indexOf(text.charAt(i)) >= 0 ? 1 : 0;
            }
        }
        if (length > LONGEST || branches > MOST_BRANCHES) {
            throw new Refused("longer than " + LONGEST + " characters, or more than " + MOST_BRANCHES + " branches");
        }
        try {
            RequestDtabs judge = new RequestDtabs(asked.allowed());
            Dtab whole = Dtab.emptyDtab();
            // each by itself: a comment's mark in one must not hide the next
            for (String text : asked.texts()) {
                Dtab dtab = Dtab.read(text);
                for (Dentry entry : CollectionConverters.asJava(dtab)) {
                    judge.judge(entry.dst());
                }
                whole = whole.concat(dtab);
            }
            return whole;
        } catch (IllegalArgumentException e) {
            throw new Refused(String.valueOf(e.getMessage()));
        }
    }

    private void judge(NameTree<Path> tree) throws Refused {
        if (tree instanceof NameTree.Leaf<Path> leaf) {
            judge(leaf.value());
        } else if (tree instanceof NameTree.Alt<Path> alt) {
            for (NameTree<Path> each : CollectionConverters.asJava(alt.trees())) {
                judge(each);
            }
        } else if (tree instanceof NameTree.Union<Path> union) {
            for (NameTree.Weighted<Path> each : CollectionConverters.asJava(union.trees())) {
                judge(each.tree());
            }
        }
    }

    private void judge(Path to) throws Refused {
        for (Path each : allowed) {
            if (to.startsWith(each)) {
                return;
            }
        }
        throw new Refused(to.show() + " is not allowed");
    }

    /** The refusal of a dtab, which is not used, and neither is the request. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1;

        Refused(String why) {
            super(why, null, false, false);
        }
    }
}
