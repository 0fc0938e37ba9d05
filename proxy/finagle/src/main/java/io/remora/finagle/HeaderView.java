package io.remora.finagle;

import com.twitter.finagle.http.HeaderMap;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A message's field lines, as Finagle's filters see and edit them. Order, repetition and letter case stay as they came, except for
 * the names that a filter has changed: Finagle's own maps keep no order.
 *
 * <p>Owner: the exchange's event loop. Cost: a map only where a filter asks for one.
 */
final class HeaderView {
    /**
     * The fields about a connection, or about the end and the destination of its messages; filters may not change them.
     */
    private static final List<FieldName> OURS = List.of(
            FieldName.CONNECTION,
            FieldName.CONTENT_LENGTH,
            FieldName.EXPECT,
            FieldName.HOST,
            FieldName.KEEP_ALIVE,
            FieldName.PROXY_CONNECTION,
            FieldName.TE,
            FieldName.TRANSFER_ENCODING,
            FieldName.UPGRADE);

    private final Fields fields;
    private @Nullable HeaderMap map;

    HeaderView(Fields fields) {
        this.fields = fields;
    }

    HeaderMap map() {
        HeaderMap made = map;
        if (made == null) {
            made = HeaderMap.newHeaderMap();
            for (int line = 0; line < fields.size(); line++) {
                made.addUnsafe(fields.name(line), fields.value(line));
            }
            map = made;
        }
        return made;
    }

    /**
     * Returns the lines, with the changes of filters so far.
     *
     * @throws IllegalArgumentException where one would not be a line
     */
    Fields fields() {
        HeaderMap edited = map;
        if (edited != null) {
            List<String> names = names();
            for (String name : names) {
                settle(name, CollectionConverters.asJava(edited.getAll(name)));
            }
            addNew(edited, names);
        }
        return fields;
    }

    private List<String> names() {
        List<String> names = new ArrayList<>(fields.size());
        for (int line = 0; line < fields.size(); line++) {
            if (!has(names, fields.name(line))) {
                names.add(fields.name(line));
            }
        }
        return names;
    }

    private static boolean has(List<String> names, String name) {
        for (String known : names) {
            if (known.equalsIgnoreCase(name)) {
                return true;
            }
        }
        return false;
    }

    private void settle(String text, List<String> values) {
        FieldName name = FieldName.of(text);
        if (OURS.contains(name) || fields.getAll(name).equals(values)) {
            return;
        }
        if (values.size() == 1) {
            fields.set(name, values.get(0));
            return;
        }
        fields.remove(name);
        for (String value : values) {
            fields.add(name, value);
        }
    }

    private void addNew(HeaderMap edited, List<String> known) {
        Iterator<Tuple2<String, String>> lines = edited.iterator();
        while (lines.hasNext()) {
            Tuple2<String, String> line = lines.next();
            if (!has(known, line._1())) {
                FieldName name = FieldName.of(line._1());
                if (!OURS.contains(name)) {
                    fields.add(name, line._2());
                }
            }
        }
    }

    /** The lines of a message that is not ours, as {@link #fields}. */
    static Fields of(HeaderMap map) {
        Fields fields = new Fields();
        new HeaderView(fields).addNew(map, List.of());
        return fields;
    }
}
