package io.remora.http;

import io.remora.text.Ascii;

/**
 * Writes this hop into Via and finds it there again.
 *
 * <p>Spec: RFC 9110 section 7.6.3; the loop guard is 7.6.
 */
public final class Via {
    private final String pseudonym;
    private final String usual;
    private final String multiplexed;

    public Via(String pseudonym) {
        this.pseudonym = pseudonym;
        this.usual = "1.1 " + pseudonym;
        this.multiplexed = "2.0 " + pseudonym;
    }

    /** Returns whether a message with these fields has passed here before. */
    public boolean isLoop(RequestHead head) {
        if (!head.fields.contains(FieldName.VIA)) {
            return false;
        }
        for (String element : FieldList.elements(head.fields, FieldName.VIA)) {
            if (receivedByUs(element)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Adds a line for this hop behind those that are there.
     *
     * @param protocol by which the message was received, {@code 1.1}
     */
    public void append(Fields fields, String protocol) {
        fields.add(FieldName.VIA, line(protocol));
    }

    private String line(String protocol) {
        return switch (protocol) {
            case "1.1" -> usual;
            case "2.0" -> multiplexed;
            default -> protocol + ' ' + pseudonym;
        };
    }

    // received-protocol RWS received-by [ RWS comment ]
    private boolean receivedByUs(String element) {
        int start = element.indexOf(' ') + 1;
        while (start < element.length() && Ascii.isBlank(element.charAt(start))) {
            start++;
        }
        int end = start;
        while (end < element.length() && !Ascii.isBlank(element.charAt(end))) {
            end++;
        }
        return start > 0 && end - start == pseudonym.length() && element.startsWith(pseudonym, start);
    }
}
