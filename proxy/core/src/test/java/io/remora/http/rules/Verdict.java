package io.remora.http.rules;

import static org.assertj.core.api.Assertions.fail;

import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.StrictHttp;
import io.remora.testkit.Wire;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a client and a backend saw of one conversation, freed of whatever depends on how the octets were packed.
 *
 * @param statuses of the final responses, in order
 * @param requests whole requests at the backend: method, target and body
 */
record Verdict(List<Integer> statuses, List<String> requests) {
    /** Fails on bytes that no strict sender writes, in either direction. */
    static Verdict of(byte[] atClient, byte[] atBackend) {
        List<Integer> statuses = statuses(atClient);
        List<String> requests = requests(atBackend);
        long answered = statuses.stream().filter(status -> status == 200).count();
        if (answered != requests.size()) {
            fail("answers " + statuses + " to " + requests + " at the backend");
        }
        if (statuses.lastIndexOf(200) > firstRefusal(statuses)) {
            fail("answers behind a refusal: " + statuses);
        }
        return new Verdict(statuses, requests);
    }

    private static int firstRefusal(List<Integer> statuses) {
        for (int i = 0; i < statuses.size(); i++) {
            if (statuses.get(i) != 200) {
                return i;
            }
        }
        return statuses.size();
    }

    private static List<Integer> statuses(byte[] atClient) {
        List<Integer> statuses = new ArrayList<>();
        ByteArrayInputStream in = new ByteArrayInputStream(atClient);
        try {
            while (in.available() > 0) {
                RawResponse response = StrictHttp.response(in, "GET");
                statuses.add(response.status());
            }
        } catch (IOException e) {
            fail(e.getMessage() + " in what the client received:\n" + Wire.text(atClient), e);
        }
        return statuses;
    }

    /** The last one may be cut: its client broke off or was refused in the middle of it. */
    private static List<String> requests(byte[] atBackend) {
        List<String> requests = new ArrayList<>();
        ByteArrayInputStream in = new ByteArrayInputStream(atBackend);
        try {
            while (in.available() > 0) {
                requests.add(describe(StrictHttp.request(in)));
            }
        } catch (EOFException cut) {
            // Not a whole request.
        } catch (IOException e) {
            fail(e.getMessage() + " in what the backend received:\n" + Wire.text(atBackend), e);
        }
        return requests;
    }

    private static String describe(RawRequest request) {
        return request.method() + " " + request.target() + " [" + request.bodyText() + "]";
    }
}
