package io.remora.feature.answer;

import io.remora.config.keys.Units;
import io.remora.config.model.Address;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Names;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
import io.remora.feature.ReplacedPath;

/** Reads and judges a route's {@code redirect} and {@code respond}. */
final class AnswerPart {
    private static final int MAX_BODY_CHARS = 4_096;
    private static final int MAX_PORT = 65_535;
    private static final int NO_CONTENT = 204;
    private static final int RESET_CONTENT = 205;
    private static final int NOT_MODIFIED = 304;

    private final FeatureSection route;
    private final Problems problems;

    AnswerPart(FeatureSection route) {
        this.route = route;
        this.problems = route.problems;
    }

    Options redirect(Options options) {
        route.forwardsNothing();
        Section section = route.section.section(RedirectConfig.SECTION);
        int status = section.get(RedirectConfig.STATUS);
        Node given = section.value(RedirectConfig.STATUS);
        if (given != null && status > 303 && status < 307) {
            problems.at(given, "status is " + given.quoted() + ", expected 301, 302, 303, 307 or 308");
        }
        Node scheme = section.text(RedirectConfig.SCHEME);
        if (scheme != null && !scheme.isText("http") && !scheme.isText("https")) {
            problems.at(scheme, "scheme is " + scheme.quoted() + ", expected http or https");
        }
        Node host = section.text(RedirectConfig.HOST);
        if (host != null && !isHost(host.text)) {
            problems.at(host, "host is " + host.quoted() + ", expected a host without a port");
        }
        RedirectConfig redirect = new RedirectConfig(
                status,
                scheme == null ? null : scheme.text,
                host == null ? null : host.text,
                port(section),
                ReplacedPath.read(route, section, RedirectConfig.PREFIX),
                section.get(RedirectConfig.STRIP_QUERY));
        boolean nothing = scheme == null && host == null && !section.has(RedirectConfig.PORT);
        if (nothing && !section.has(RedirectConfig.PREFIX)) {
            problems.at(section.node, "redirect leads back to this listener, expected scheme, host, port or prefix");
        }
        section.end();
        return options.with(RedirectConfig.REDIRECT, redirect);
    }

    private static boolean isHost(String host) {
        return Address.isHost(host) || Address.isIpV6(host);
    }

    private int port(Section section) {
        Node node = section.text(RedirectConfig.PORT);
        String key = RedirectConfig.PORT.name;
        return node == null ? 0 : (int) node.number(Units.NONE, key, 0, 1, MAX_PORT, problems);
    }

    Options respond(Options options) {
        Node given = route.section.value(RespondConfig.SECTION);
        if (given != null && route.section.has(RedirectConfig.SECTION)) {
            problems.at(given, "respond cannot be combined with redirect");
            return options;
        }
        route.forwardsNothing();
        Section section = route.section.section(RespondConfig.SECTION);
        int status = section.get(RespondConfig.STATUS);
        Node body = section.text(RespondConfig.BODY);
        if (body != null) {
            judgeBody(body, status);
        }
        Node type = section.text(RespondConfig.CONTENT_TYPE);
        String contentType = type == null ? null : Names.headerValue(type, RespondConfig.CONTENT_TYPE.name, problems);
        section.end();
        return options.with(
                RespondConfig.RESPOND,
                new RespondConfig(
                        status,
                        body == null ? "" : body.text,
                        contentType == null ? RespondConfig.CONTENT_TYPE.fallbackText() : contentType));
    }

    private void judgeBody(Node body, int status) {
        if (status == NO_CONTENT || status == RESET_CONTENT || status == NOT_MODIFIED) {
            problems.at(body, "body is not allowed with status " + status);
        }
        boolean ascii = body.text.length() <= MAX_BODY_CHARS;
        for (int i = 0; i < body.text.length(); i++) {
            char c = body.text.charAt(i);
            ascii &= c >= ' ' && c <= '~' || c == '\n' || c == '\r' || c == '\t';
        }
        if (!ascii) {
            String expected = ", expected at most " + MAX_BODY_CHARS + " characters of ASCII";
            problems.at(body, "body is " + body.quoted() + expected);
        }
    }
}
