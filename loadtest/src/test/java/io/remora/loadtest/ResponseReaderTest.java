package io.remora.loadtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class ResponseReaderTest {
    /** At most so many bytes a read, as a socket may give them. */
    private static ResponseReader reader(int chunk, String text) {
        return new ResponseReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)) {
            @Override
            public synchronized int read(byte[] target, int offset, int length) {
                return super.read(target, offset, Math.min(chunk, length));
            }
        });
    }

    @Test
    void readsAResponseHoweverItIsCut() throws IOException {
        String text = "HTTP/1.1 404 Not Found\r\ncontent-LENGTH: 5\r\nX: y\r\n\r\nhello";
        for (int chunk = 1; chunk <= text.length(); chunk++) {
            ResponseReader reader = reader(chunk, text);
            assertThat(reader.read()).isEqualTo(404);
            assertThat(reader.closing()).isFalse();
        }
    }

    @Test
    void readsBodiesLargerThanItsBuffer() throws IOException {
        ResponseReader reader =
                reader(10_000, "HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n" + "x".repeat(200_000));
        assertThat(reader.read()).isEqualTo(200);
        assertThatThrownBy(reader::read).isInstanceOf(EOFException.class);
    }

    @Test
    void leavesInterimResponsesOut() throws IOException {
        String text = "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        assertThat(reader(text.length(), text).read()).isEqualTo(200);
    }

    @Test
    void tellsThatTheConnectionWillEnd() throws IOException {
        ResponseReader reader = reader(999, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
        assertThat(reader.read()).isEqualTo(204);
        assertThat(reader.closing()).isTrue();
    }

    @Test
    void hasTheFieldsOfTheLastResponse() throws IOException {
        String first = "HTTP/1.1 200 OK\r\nX-Backend:  B:1 \r\nContent-Length: 1\r\n\r\nx";
        ResponseReader reader = reader(first.length(), first + "HTTP/1.1 204 No Content\r\n\r\n");
        assertThat(reader.field("x-backend")).isEmpty();
        reader.read();
        assertThat(reader.field("x-backend")).isEqualTo("b:1");
        assertThat(reader.field("backend")).isEmpty();
        reader.read();
        assertThat(reader.field("x-backend")).isEmpty();
    }

    @Test
    void refusesWhatHasNoKnownEnd() {
        for (String text : new String[] {
            "HTTP/1.1 200 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
            "HTTP/1.1 2x0 OK\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab",
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab",
            "SSH-2.0-OpenSSH\r\n\r\n",
            "x".repeat(70_000)
        }) {
            assertThatThrownBy(() -> reader(100_000, text).read()).isInstanceOf(IOException.class);
        }
    }
}
