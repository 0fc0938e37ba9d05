package io.remora.http;

import io.netty.handler.codec.http.HttpHeaders;

/**
 * Writes this hop into Via and finds it there again.
 *
 * <p>Spec: RFC 9110 section 7.6.3; the loop guard is 7.6.
 */
public final class Via {
    private final String pseudonym;
    private final String http11;
    private final String http10;

    public Via(String pseudonym) {
        this.pseudonym = pseudonym;
        this.http11 = "1.1 " + pseudonym;
        this.http10 = "1.0 " + pseudonym;
    }

    /** Whether a message with these fields has passed here before. */
    public boolean isLoop(RequestHead head) {
        if (!head.facts.via) {
            return false;
        }
        for (String element : FieldList.elements(head.fields, Names.VIA)) {
            if (receivedByUs(element)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Adds a line for this hop behind those that are there.
     *
     * @param version11 whether the message was received as HTTP/1.1; as 1.0 otherwise
     */
    public void append(HttpHeaders fields, boolean version11) {
        fields.add(Names.VIA, version11 ? http11 : http10);
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
