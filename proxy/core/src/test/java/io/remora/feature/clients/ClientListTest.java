package io.remora.feature.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ClientListTest {
    private static final List<String> TEN = List.of("10.0.0.0/8");

    /** Such as one on a Unix socket, or one of which a proxy says that it is unknown. */
    @Test
    void aClientWithoutAnAddressIsLetInWhereAnybodyIs() {
        ClientList denying = new ClientList(new ClientsConfig(List.of(), TEN));
        ClientList allowing = new ClientList(new ClientsConfig(TEN, List.of()));
        ClientList allowingAll = new ClientList(new ClientsConfig(List.of("0.0.0.0/0", "::/0"), List.of()));
        for (String nobody : List.of("", "unknown", "_hidden", "10.0.0.1:80", "10.0.0.256")) {
            assertThat(denying.admits(nobody)).as(nobody).isTrue();
            assertThat(allowing.admits(nobody)).as(nobody).isFalse();
            assertThat(allowingAll.admits(nobody)).as(nobody).isFalse();
        }
    }

    @Test
    void whatIsDeniedIsNotAllowed() {
        ClientList list = new ClientList(new ClientsConfig(TEN, List.of("10.6.0.0/16")));
        assertThat(list.admits("10.1.0.1")).isTrue();
        assertThat(list.admits("::ffff:10.1.0.1")).isTrue();
        assertThat(list.admits("10.6.0.1")).isFalse();
        assertThat(list.admits("::ffff:10.6.0.1")).isFalse();
        assertThat(list.admits("192.0.2.1")).isFalse();
    }
}
