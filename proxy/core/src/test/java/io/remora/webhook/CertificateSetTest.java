package io.remora.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.tls.CertificateInfo;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rotation of the webhook's certificates, at times that the tests name. */
final class CertificateSetTest {
    private static final List<String> NAMES = List.of("remora-injector.remora-system.svc");
    private static final long START_MS = 1_800_000_000_000L;
    private static final long DAY_MS = 86_400_000L;

    private final Issuer issuer = new Issuer();

    private CertificateSet first() throws IOException {
        return CertificateSet.first(issuer, NAMES, START_MS);
    }

    private CertificateSet due(CertificateSet from, long nowMs) throws IOException {
        return from.due(issuer, NAMES, nowMs);
    }

    private static boolean isByFirstOfBundle(CertificateSet set) throws IOException {
        return set.serving()
                .info()
                .isIssuedBy(CertificateInfo.of(set.authority().der().get(0)));
    }

    @Test
    void freshSetIsGoodForTwentyDays() throws IOException {
        CertificateSet set = first();
        assertThat(due(set, START_MS)).isNull();
        assertThat(due(set, START_MS + 20 * DAY_MS - 1_000)).isNull();
        CertificateSet next = due(set, START_MS + 20 * DAY_MS);
        assertThat(next).isNotNull();
        assertThat(next.authority()).isEqualTo(set.authority());
        assertThat(next.serving()).isNotEqualTo(set.serving());
    }

    @Test
    void authoritySignsNothingBeforeItIsTrusted() throws IOException {
        CertificateSet set = first();
        long dueMs = START_MS + 365 * DAY_MS / 3 * 2 + DAY_MS;
        CertificateSet renewed = new CertificateSet(set.authority(), issuer.serving(set.authority(), NAMES, dueMs));
        CertificateSet announced = due(renewed, dueMs);
        // both are trusted, and the certificate in use stays
        assertThat(announced.authority().der()).hasSize(2);
        assertThat(announced.authority().der().get(1))
                .isEqualTo(set.authority().der().get(0));
        assertThat(announced.serving()).isEqualTo(renewed.serving());
        assertThat(isByFirstOfBundle(announced)).isFalse();
        assertThat(due(announced, dueMs + CertificateSet.TRUSTED_MS - 1_000)).isNull();

        long movedMs = dueMs + CertificateSet.TRUSTED_MS + 1_000;
        CertificateSet moved = due(announced, movedMs);
        assertThat(isByFirstOfBundle(moved)).isTrue();
        assertThat(moved.authority()).isEqualTo(announced.authority());
        assertThat(due(moved, movedMs + CertificateSet.SHOWN_MS - 1_000)).isNull();

        CertificateSet last = due(moved, movedMs + CertificateSet.SHOWN_MS + 1_000);
        assertThat(last.authority().der()).hasSize(1);
        assertThat(last.authority().key()).isEqualTo(moved.authority().key());
        assertThat(last.serving()).isEqualTo(moved.serving());
        assertThat(due(last, movedMs + CertificateSet.SHOWN_MS + 2_000)).isNull();
    }

    @Test
    void certificateForOtherNamesIsReplacedAtOnce() throws IOException {
        CertificateSet set = first();
        CertificateSet next = set.due(issuer, List.of("remora-injector.other.svc"), START_MS);
        assertThat(next.serving().info().names().dns()).containsExactly("remora-injector.other.svc");
        assertThat(next.authority()).isEqualTo(set.authority());
    }

    @Test
    void expiredAuthorityIsReplacedWithItsCertificate() throws IOException {
        CertificateSet next = due(first(), START_MS + 366 * DAY_MS);
        assertThat(next.authority().der()).hasSize(1);
        assertThat(isByFirstOfBundle(next)).isTrue();
    }

    @Test
    void certificateOfAnotherAuthorityIsReplaced() throws IOException {
        CertificateSet set = new CertificateSet(first().authority(), first().serving());
        assertThat(isByFirstOfBundle(set)).isFalse();
        assertThat(isByFirstOfBundle(due(set, START_MS))).isTrue();
    }

    @Test
    void authorityOutlastsAServingCertificateThatIsMissingOrBroken() throws IOException {
        CertificateSet set = first();
        Certificate serving = set.serving();
        for (Certificate one : List.of(
                new Certificate("", ""),
                new Certificate(serving.pem(), "none"),
                new Certificate("none", serving.key()))) {
            CertificateSet next = due(new CertificateSet(set.authority(), one), START_MS);
            assertThat(next.authority()).isEqualTo(set.authority());
            assertThat(isByFirstOfBundle(next)).isTrue();
            assertThat(due(next, START_MS)).isNull();
        }
    }

    @Test
    void emptiedSecretKeepsTrustInTheFormerAuthority() throws IOException {
        CertificateSet former = first();
        CertificateSet next = first().trusting(former, START_MS);
        assertThat(next.authority().der()).hasSize(2);
        assertThat(isByFirstOfBundle(next)).isTrue();
        assertThat(due(next, START_MS)).isNull();
    }
}
