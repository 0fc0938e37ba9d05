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
 * Reads and judges the dtabs that requests bring. A delegation whose right side begins as an allowed name leads to names that begin so,
 * from where only the configuration's delegations, and such ones again, lead on.
 */
final class RequestDtabs {
    private static final int LONGEST = 2_048;

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
        if (asked.text().length() > LONGEST) {
            throw new Refused("longer than " + LONGEST + " characters");
        }
        try {
            Dtab dtab = Dtab.read(asked.text());
            RequestDtabs judge = new RequestDtabs(asked.allowed());
            for (Dentry entry : CollectionConverters.asJava(dtab)) {
                judge.judge(entry.dst());
            }
            return dtab;
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

    /** It is not used, and neither is the request. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1;

        Refused(String why) {
            super(why, null, false, false);
        }
    }
}
