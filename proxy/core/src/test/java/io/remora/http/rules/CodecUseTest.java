package io.remora.http.rules;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Parts of Netty that advisories speak of and that the sidecar does not use, so that they cannot reach it. */
final class CodecUseTest {
    private static final String UNUSED = "io\\.netty\\.("
            + "handler\\.codec\\.http\\.(multipart|cors|websocketx)\\..*"
            + "|handler\\.codec\\.http\\.HttpContent(Decoder|Encoder|Decompressor|Compressor).*"
            + "|handler\\.codec\\.(compression|haproxy|http2|rtsp|spdy)\\..*"
            + "|handler\\.(proxy|ssl|ipfilter)\\..*"
            + "|channel\\.(epoll|kqueue|uring)\\..*)";

    @Test
    void partsOfNettyThatAreNotUsed() {
        noClasses()
                .that()
                .resideInAPackage("io.remora..")
                .should()
                .dependOnClassesThat()
                .haveNameMatching(UNUSED)
                .check(new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackages("io.remora"));
    }
}
