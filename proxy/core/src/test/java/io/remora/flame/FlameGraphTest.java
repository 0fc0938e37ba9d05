package io.remora.flame;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** Flame graphs as pages and as images. */
final class FlameGraphTest {
    private static final String HOSTILE = "</script><img src=x onerror=alert(1)>&\"'\\]]>";

    private static List<Element> frames(CallTree tree) throws IOException {
        try {
            NodeList groups = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new ByteArrayInputStream(FlameFiles.bytes(tree, FlameFormat.SVG)))
                    .getElementsByTagName("g");
            List<Element> frames = new ArrayList<>();
            for (int i = 0; i < groups.getLength(); i++) {
                Element one = (Element) groups.item(i);
                if (one.getAttribute("class").startsWith("f ")) {
                    frames.add(one);
                }
            }
            return frames;
        } catch (ParserConfigurationException | SAXException e) {
            throw new AssertionError(e);
        }
    }

    private static Element named(List<Element> frames, String name) {
        return frames.stream()
                .filter(one -> one.getAttribute("data-n").equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void anImageHasAFrameOfEachKindWithItsShare() throws IOException {
        List<Element> frames =
                frames(FlameFiles.tree("[loop];a.B.run_[j];write;[kernel]_[k] 30", "[C1];Compiler::compile_[v] 70"));
        assertThat(frames).hasSize(7);
        assertThat(named(frames, "all").getAttribute("data-w")).isEqualTo("100");
        assertThat(named(frames, "Compiler::compile").getAttribute("class")).isEqualTo("f v");
        assertThat(named(frames, "a.B.run").getAttribute("class")).isEqualTo("f j");
        assertThat(named(frames, "write").getAttribute("class")).isEqualTo("f c");
        assertThat(named(frames, "[kernel]").getAttribute("class")).isEqualTo("f k");
        assertThat(named(frames, "[loop]").getAttribute("class")).isEqualTo("f t");
        assertThat(named(frames, "[kernel]").getTextContent()).startsWith("[kernel] (30 samples, 30.00 %)");
        // children stand next to each other, in the order of their names
        assertThat(named(frames, "[C1]").getAttribute("data-x")).isEqualTo("0");
        assertThat(named(frames, "[loop]").getAttribute("data-x")).isEqualTo("70");
        assertThat(named(frames, "[kernel]").getAttribute("data-x")).isEqualTo("70");
    }

    @Test
    void aGraphHasItsUnitAndTheClassesOfObjects() throws IOException {
        CallTree tree = FlameFiles.tree("[loop];a.B.run_[j];byte[]_[y] 1572864");
        String image = new String(FlameFiles.bytes(tree, FlameFormat.SVG, Measure.ALLOCATED), StandardCharsets.UTF_8);
        assertThat(image).contains("<g class=\"f y\"", "byte[] (1.5 MiB, 100.00 %)", ">class</text>");
        String waits = new String(FlameFiles.bytes(tree, FlameFormat.SVG, Measure.WAITED), StandardCharsets.UTF_8);
        assertThat(waits).contains("byte[] (1.5 ms, 100.00 %)");
        String page = new String(FlameFiles.bytes(tree, FlameFormat.HTML, Measure.WAITED), StandardCharsets.UTF_8);
        assertThat(page).contains("unit: \"ns\"", "kinds: \"tjy\"");
    }

    @Test
    void anImageLeavesOutWhatWouldNotBeSeen() throws IOException {
        assertThat(frames(FlameFiles.tree("a 100000", "b;c 1")).stream().map(one -> one.getAttribute("data-n")))
                .containsExactly("all", "a");
    }

    @Test
    void aComparisonIsRedWhereAShareGrewAndBlueWhereItShrank() throws IOException {
        CallTree tree = FlameFiles.tree("a 60", "b 40");
        FlameFiles.add(tree, CallTree.BEFORE, "a 5", "b 5", "gone 10");
        List<Element> frames = frames(tree);
        assertThat(rect(frames, "a")).startsWith("fill:rgb(255,").doesNotContain("255,255");
        assertThat(rect(frames, "b")).startsWith("fill:rgb(255,");
        CallTree other = FlameFiles.tree("a 10", "b 90");
        FlameFiles.add(other, CallTree.BEFORE, "a 5", "b 5");
        assertThat(rect(frames(other), "a")).endsWith(",255)");
        assertThat(named(frames(other), "a").getTextContent()).startsWith("a (10 samples, 10.00 %, before 50.00 %)");
    }

    private static String rect(List<Element> frames, String name) {
        return ((Element) named(frames, name).getElementsByTagName("rect").item(0)).getAttribute("style");
    }

    /** Names come from classes and libraries that users add, or from a file that someone has sent. */
    @ParameterizedTest
    @EnumSource(names = {"HTML", "SVG"})
    void aNameIsNeverMarkupNorScript(FlameFormat format) throws IOException {
        String text = FlameFiles.text(FlameFiles.tree(HOSTILE.replace(' ', '_') + ";x 5"), format);
        assertThat(text).doesNotContain("<img").contains("onerror=alert(1)");
        assertThat(text.split("</script>", -1)).hasSize(2);
        // of the images' own section
        assertThat(text.split("]]>", -1)).hasSize(format == FlameFormat.SVG ? 2 : 1);
    }

    @Test
    void anImageWithSuchANameIsWellFormed() throws IOException {
        assertThat(named(frames(FlameFiles.tree(HOSTILE.replace(' ', '_') + " 5")), HOSTILE.replace(' ', '_'))
                        .getTextContent())
                .startsWith(HOSTILE.replace(' ', '_'));
    }

    @ParameterizedTest
    @EnumSource(names = {"HTML", "SVG"})
    void aGraphRequestsNothing(FlameFormat format) throws IOException {
        String text = FlameFiles.text(FlameFiles.tree("a;b 5"), format);
        assertThat(text.replace("http://www.w3.org/2000/svg", ""))
                .doesNotContain("http:", "https:", "//www", "import", "fetch(", "XMLHttp", "@import", "url(", "<link");
    }

    @Test
    void aPageHasTheNodesInTheOrderInWhichTheyAreDrawn() throws IOException {
        String page = FlameFiles.text(FlameFiles.tree("[b];x 3", "[a];y 4", "[a] 1"), FlameFormat.HTML);
        assertThat(page)
                .contains("""
                nodes: [0,-1,8,0,
                1,2,5,0,
                2,3,4,0,
                1,0,3,0,
                2,1,3,0]};
                """)
                .contains("kinds: \"tctc\"", "title: \"a title\"", "note: \"a note\"", "default-src 'none'");
    }
}
