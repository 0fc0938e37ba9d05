package io.remora.loadtest.charts;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.loadtest.ToolProcess;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

@Timeout(60)
final class DrawTest {
    private static final String SVG = "http://www.w3.org/2000/svg";
    private static final String FIRST_COLOR = "rgb(0,114,178)";
    private static final String BARS =
            "{'title': 'Peak RSS', 'bars': true, 'x': {'kind': 'categories', 'labels': ['a', 'b']},"
                    + " 'y': {'title': 'MB', 'least': 0}, 'series': [{'name': 'MB', 'y': [30, 68], 'low': [29, 60], 'high': [34, 80]}]}";

    @TempDir
    private Path folder;

    @Test
    void severalChartsAreDrawnInOneCall() throws Exception {
        Draw.main(new String[] {spec("curves", curves(5)), out("curves"), spec("bars", BARS), out("bars")});
        for (String name : List.of("curves", "bars")) {
            Element root = svg(name).getDocumentElement();
            assertThat(root.getAttribute("viewBox")).isEqualTo("0 0 800 400");
            assertThat(Files.size(Path.of(out(name) + ".svg"))).isLessThan(100_000);
            BufferedImage image = ImageIO.read(Path.of(out(name) + ".png").toFile());
            assertThat(List.of(image.getWidth(), image.getHeight())).isEqualTo(List.of(800, 400));
            assertThat(image.getRGB(1, 1)).isEqualTo(0xFFFFFFFF);
            assertThat(shows(image, 0xFF0072B2)).isTrue();
        }
    }

    @Test
    void everyElementIsInTheNameSpaceOfSvgAndRefersToNothingOutside() throws Exception {
        Draw.main(new String[] {spec("curves", curves(2)), out("curves")});
        NodeList elements = svg("curves").getElementsByTagName("*");
        assertThat(IntStream.range(0, elements.getLength())
                        .mapToObj(i -> elements.item(i).getNamespaceURI()))
                .isNotEmpty()
                .containsOnly(SVG);
        assertThat(read("curves")).startsWith("<svg").doesNotContain("href=").doesNotContain("<!");
    }

    @Test
    void theSameDescriptionIsTheSameSvgAndItsNamesAreItsOwn() throws Exception {
        String spec = spec("curves", curves(3));
        Files.createDirectories(folder.resolve("again"));
        Draw.main(new String[] {spec, out("curves"), spec, out("again/curves"), spec, out("other")});
        assertThat(read("again/curves")).isEqualTo(read("curves"));
        assertThat(ids("curves")).isNotEmpty().doesNotContainAnyElementsOf(ids("other"));
    }

    @Test
    void aCurveIsOneLineAndAGapDividesIt() throws Exception {
        Draw.main(new String[] {
            spec("whole", line("1, 2, 3, 4, 5")), out("whole"), spec("gap", line("1, 2, null, 4, 5")), out("gap")
        });
        assertThat(linesOf("whole")).isEqualTo(List.of(5));
        assertThat(linesOf("gap")).isEqualTo(List.of(2, 2));
    }

    @Test
    void aLogarithmicAxisLeavesOutWhatIsNotAboveZero() throws Exception {
        String axis = "'y': {'kind': 'log'}";
        Draw.main(new String[] {spec("log", line("-1, 0, 3, 4, 5").replace("'y': {}", axis)), out("log")});
        assertThat(linesOf("log")).isEqualTo(List.of(3));
    }

    @Test
    void valuesThatHardlyDifferAreDrawn() throws Exception {
        Draw.main(new String[] {spec("flat", line("1, 1.00000001, 1, 1, 1")), out("flat")});
        assertThat(linesOf("flat")).isEqualTo(List.of(5));
    }

    @Test
    void whatIsBelowTheLeastIsShownNevertheless() throws Exception {
        String below = BARS.replace("[30, 68]", "[-30, -3]")
                .replace("[29, 60]", "[-34, -4]")
                .replace("[34, 80]", "[-2, -1]");
        Draw.main(new String[] {spec("below", below), out("below")});
        BufferedImage image = ImageIO.read(Path.of(out("below") + ".png").toFile());
        assertThat(shows(image.getSubimage(0, 150, 800, 50), 0xFF0072B2)).isTrue();
    }

    @Test
    void whatIsNoDescriptionEndsWithStatus64() throws Exception {
        for (String wrong : List.of(
                "{",
                line("1, 2"),
                line("1, 2, 3, 4, 5").replace("'y': {}", "'y': {'kind': 'percentile'}"),
                BARS.replace("[29, 60]", "[29, null]"),
                BARS.replace("'series'", "'serious'"))) {
            try (ToolProcess draw = new ToolProcess(Draw.class, spec("wrong", wrong), out("wrong"))) {
                assertThat(draw.end()).as(wrong).isEqualTo(64);
            }
        }
    }

    @Test
    void percentilesAndNumbersReadAsPeopleWriteThem() {
        assertThat(IntStream.range(0, 5).mapToObj(ChartStyle::percentile))
                .containsExactly("0 %", "90 %", "99 %", "99.9 %", "99.99 %");
        assertThat(List.of(0.0, 12_500.0, 0.1 + 0.2, -3.5).stream().map(ChartStyle::number))
                .containsExactly("0", "12,500", "0.3", "-3.5");
    }

    private static String curves(int count) {
        String x = IntStream.range(0, 100)
                .mapToObj(i -> text(Math.pow(10, i / 20.0)))
                .collect(Collectors.joining(","));
        return IntStream.range(0, count)
                .mapToObj(number -> "{'name': 'curve " + number + "', 'x': [" + x + "], 'y': ["
                        + IntStream.range(0, 100)
                                .mapToObj(i -> text(Math.exp(i * 0.05) + number))
                                .collect(Collectors.joining(","))
                        + "]}")
                .collect(Collectors.joining(
                        ",",
                        "{'title': 'Latency', 'x': {'kind': 'percentile'}, 'y': {'title': 'ms', 'kind': 'log'}, 'series': [",
                        "]}"));
    }

    private static String line(String values) {
        return "{'title': '', 'x': {}, 'y': {}, 'series': [{'name': 'a', 'x': [0, 1, 2, 3, 4], 'y': [" + values
                + "]}]}";
    }

    private static String text(double value) {
        return String.format(Locale.ROOT, "%.6f", value);
    }

    private static boolean shows(BufferedImage image, int color) {
        return IntStream.range(0, image.getWidth() * image.getHeight())
                .anyMatch(i -> image.getRGB(i % image.getWidth(), i / image.getWidth()) == color);
    }

    /** How many points each line in the first series' colour has; the legend is not shown for one series. */
    private List<Integer> linesOf(String name) throws Exception {
        NodeList lines = svg(name).getElementsByTagName("polyline");
        return IntStream.range(0, lines.getLength())
                .mapToObj(i -> (Element) lines.item(i))
                .filter(one -> one.getAttribute("style").contains("stroke:" + FIRST_COLOR))
                .map(one -> one.getAttribute("points").split(" ").length)
                .toList();
    }

    private List<String> ids(String name) throws Exception {
        return Pattern.compile("id=\"([^\"]*)\"")
                .matcher(read(name))
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
    }

    private Document svg(String name) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setNamespaceAware(true);
        return factory.newDocumentBuilder()
                .parse(new ByteArrayInputStream(Files.readAllBytes(Path.of(out(name) + ".svg"))));
    }

    private String read(String name) throws Exception {
        return Files.readString(Path.of(out(name) + ".svg"));
    }

    private String spec(String name, String json) throws Exception {
        return Files.writeString(folder.resolve(name + ".json"), json.replace('\'', '"'))
                .toString();
    }

    private String out(String name) {
        return folder.resolve(name).toString();
    }
}
