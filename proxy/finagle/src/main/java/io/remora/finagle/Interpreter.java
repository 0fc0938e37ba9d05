package io.remora.finagle;

import com.twitter.finagle.Dtab;
import com.twitter.finagle.Name;
import com.twitter.finagle.NameTree;
import com.twitter.finagle.Path;
import com.twitter.finagle.naming.DefaultInterpreter$;
import com.twitter.finagle.naming.NameInterpreter;
import com.twitter.finagle.naming.NameInterpreter$;
import com.twitter.util.Activity;
import com.twitter.util.Local;
import scala.Option;

/**
 * Binds names on the event loop whose request needs it. Finagle has one interpreter for all of a process.
 *
 * <p>Thread safe.
 */
final class Interpreter implements NameInterpreter {
    /** The binder of names for the call that is under way. */
    static final Local<LoopNames> CURRENT = new Local<>();

    private Interpreter() {}

    static void install() {
        NameInterpreter$.MODULE$.setGlobal(new Interpreter());
    }

    @Override
    public Activity<NameTree<Name.Bound>> bind(Dtab dtab, Path path) {
        Option<LoopNames> names = CURRENT.apply();
        return names.isEmpty()
                ? DefaultInterpreter$.MODULE$.bind(dtab, path)
                : names.get().bind(dtab, path);
    }
}
