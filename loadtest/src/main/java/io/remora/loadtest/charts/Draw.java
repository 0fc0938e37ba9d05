package io.remora.loadtest.charts;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.awt.Font;
import java.awt.font.FontRenderContext;
import java.awt.font.TextLayout;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.internal.chartpart.Chart;

/**
 * Draws charts: {@code Draw SPEC.json OUT [SPEC.json OUT]...} writes OUT.svg and OUT.png of each description.
 *
 * <p>{@link ChartSpec} says what a description has. Ends with status 64, and a line, where one cannot be read, and with
 * 69 on a machine that has no fonts.
 */
public final class Draw {
    private static final int USAGE = 64;
    private static final int UNAVAILABLE = 69;

    private Draw() {}

    public static void main(String[] arguments) throws IOException {
        System.setProperty("java.awt.headless", "true");
        if (arguments.length == 0 || arguments.length % 2 != 0) {
            end(USAGE, "arguments are SPEC.json OUT, once or more");
        }
        if (!hasFonts()) {
            end(UNAVAILABLE, "this machine has no fonts to draw charts with; install fontconfig and fonts-dejavu-core");
        }
        for (int i = 0; i < arguments.length; i += 2) {
            draw(arguments[i], arguments[i + 1]);
        }
    }

    private static void draw(String spec, String out) throws IOException {
        try {
            Chart<?, ?> chart = ChartBuilder.of(ChartSpec.read(Path.of(spec)));
            writeSvg(chart, Path.of(out + ".svg"));
            BitmapEncoder.saveBitmap(chart, out, BitmapFormat.PNG);
        } catch (JsonProcessingException e) {
            end(
                    USAGE,
                    spec + ": "
                            + (e.getCause() == null
                                    ? e.getOriginalMessage()
                                    : e.getCause().getMessage()));
        } catch (NoSuchFileException e) {
            end(USAGE, e.getFile() + ": no such file or directory");
        }
    }

    private static void writeSvg(Chart<?, ?> chart, Path file) throws IOException {
        ByteArrayOutputStream svg = new ByteArrayOutputStream();
        VectorGraphicsEncoder.saveVectorGraphic(chart, svg, VectorGraphicsFormat.SVG);
        String name = String.valueOf(file.getFileName()).replaceAll("[^A-Za-z0-9]", "-");
        Files.writeString(file, SvgText.tidy(svg.toString(StandardCharsets.UTF_8), name + "-"));
    }

    private static boolean hasFonts() {
        try {
            Font font = new Font(Font.SANS_SERIF, Font.PLAIN, 12);
            return new TextLayout("0", font, new FontRenderContext(null, true, false)).getAdvance() > 0;
        } catch (RuntimeException | LinkageError | InternalError e) {
            return false;
        }
    }

    private static void end(int status, String reason) {
        System.err.println("Draw: " + reason);
        System.exit(status);
    }
}
