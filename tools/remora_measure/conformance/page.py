"""The page of a conformance test: one HTML file that needs no network and no script."""
import html
import re
import urllib.parse
from collections.abc import Iterable, Mapping
from typing import Any

from ..charts import run_charts
from .page_style import STYLE
from .row_texts import cells, number, rows_of

Known = Mapping[str, Any]

MEANING = {"pass": "every bar was met", "fail": "a bar was missed", "inconclusive": "nothing follows from this run: see the reasons"}
LATENCIES = {"inbound.proxy": "in the proxy, its own", "wire": "in the proxy, on the wire", "added": "added: with the proxy less without",
             "probe.proxy": "through the proxy, as a caller sees it", "probe.direct": "without a proxy, as a caller sees it",
             "host.hiccup": "the host's own hiccups", "wait.sidecar": "a thread's wait for the sidecar's cores",
             "wait.generator": "a thread's wait for the generator's cores"}
QUANTILES = {"p50_us": "p50", "p90_us": "p90", "p99_us": "p99", "p999_us": "p999", "max_us": "worst"}
CHART_ORDER = ("memory", "cpu", "code-cache", "compilation", "collections", "loop-lag", "heap", "threads")
MISSING = '<span class="missing">missing</span>'


def of(result: Known, drawn: Mapping[str, str], trouble: str | None = None) -> str:
    """The page's text. drawn: {name: SVG}; trouble: why charts are missing."""
    plan, verdict = part(result, "plan"), result.get("verdict") or "missing"
    image, rps = plan.get("image"), plan.get("rps")
    title = f"{verdict}: {image or 'a sidecar'} at {number(rps) if rps is not None else 'an unknown number of'} requests a second"
    sections = [head(result, verdict, title), reasons(result), figures(result), latency(result, drawn, trouble),
                over_time(drawn, trouble), generator(result), facts("Plan", there(plan)),
                system(part(result, "system")), facts("How memory was measured", memory(part(result, "memory"))), facts("Machine", part(result, "machine")), files(result)]
    return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f"<title>{text(title)}</title>\n<style>{STYLE}</style></head>\n<body><main>\n"
            + "\n".join(sections) + "\n</main></body></html>\n")


def part(result: Known, key: str) -> dict[str, Any]:
    """A part of the result that has parts itself; empty where it is missing."""
    found = result.get(key)
    return found if isinstance(found, dict) else {}


def there(known: Known) -> dict[str, Any]:
    return {key: value for key, value in known.items() if value is not None}


def text(value: object) -> str:
    """Escaped; missing values say so."""
    if value is None:
        return MISSING
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return html.escape(number(value))
    return html.escape(str(value))


def token(word: object) -> str:
    """As a class name."""
    return re.sub(r"[^a-z]", "", str(word).lower())


def section(title: str, body: str) -> str:
    return f"<section><h2>{text(title)}</h2>\n{body}\n</section>"


def missing(what: str) -> str:
    return f'<p class="missing">{text(what)}: missing</p>'


def head(result: Known, verdict: str, title: str) -> str:
    when, seconds = result.get("at"), result.get("seconds_total")
    took = f", {text(seconds)} s in all" if seconds is not None else ""
    return (f'<header class="{token(verdict)}"><h1>{text(verdict)}</h1>\n<p>{text(title.partition(": ")[2])}: '
            f"{text(MEANING.get(verdict, 'there is no verdict'))}.</p>\n<p>{text(when)}{took}</p></header>")


def reasons(result: Known) -> str:
    told = result.get("reasons") or []
    return section("Reasons", "<ul>" + "".join(f"<li>{text(reason)}</li>" for reason in told) + "</ul>") if told else ""


def figures(result: Known) -> str:
    rows = rows_of(result)
    if not rows:
        return section("Figures", missing("figures"))
    body = []
    for row in rows:
        name, measured, bar, verdict, note = cells(row)
        shown = MISSING if row.get("value") is None else text(measured)
        body.append(f'<tr><th scope="row">{text(name)}</th><td class="number">{shown}</td><td>{text(bar)}</td>'
                    f'<td class="{token(verdict)}">{text(verdict)}</td><td class="note">{text(note)}</td></tr>')
    return section("Figures", table(("figure", "measured", "bar", "result", "note"), body))


def table(headings: Iterable[str], rows: Iterable[str]) -> str:
    top = "".join(f'<th scope="col">{text(heading)}</th>' for heading in headings)
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead>\n<tbody>' + "\n".join(rows) + "</tbody></table></div>"


def figure(drawn: Mapping[str, str], name: str, trouble: str | None) -> str:
    if name in drawn:
        return "<figure>" + drawn[name].replace("<svg ", f'<svg role="img" aria-label="{text(name)}" ', 1) + "</figure>"
    return missing(f"the chart {name}" + (f" ({trouble})" if trouble else ""))


def latency(result: Known, drawn: Mapping[str, str], trouble: str | None) -> str:
    known = part(result, "latency")
    rows = []
    for tag, name in LATENCIES.items():
        told = known.get(tag) or {}
        values = "".join(f'<td class="number">{text(in_ms(told.get(key)))}</td>' for key in QUANTILES)
        rows.append(f'<tr><th scope="row">{text(name)}</th>{values}<td class="number">{text(told.get("count"))}</td></tr>')
    return section("Latency, ms", figure(drawn, "latency", trouble) + left_out(known) + table(("", *QUANTILES.values(), "count"), rows))


def left_out(known: Known) -> str:
    """A logarithmic scale hides that a request may be faster through the proxy than without, by chance."""
    if all(value > 0 for _, value in run_charts.curve(known, "added")):
        return ""
    return '<p class="note">The logarithmic scale leaves out where the added latency is not above 0.</p>'


def in_ms(us: float | None) -> float | None:
    return None if us is None else us / 1e3


def over_time(drawn: Mapping[str, str], trouble: str | None) -> str:
    return section("Over time", "\n".join(figure(drawn, name, trouble) for name in CHART_ORDER))


def generator(result: Known) -> str:
    known = part(result, "generator")
    shown = {key: value for key, value in known.items() if key not in ("report", "phases")}
    link = known.get("report")
    report_link = f"<p>{anchor(link, 'The report of Gatling itself')}</p>" if link else missing("Gatling's own report")
    return section("Generator", listing(shown) + report_link)


def facts(title: str, known: Known) -> str:
    return section(title, listing(known))


def listing(known: Known) -> str:
    if not known:
        return '<p class="missing">missing</p>'
    return "<dl>" + "\n".join(f"<dt>{text(key.replace('_', ' '))}</dt><dd>{text(value)}</dd>" for key, value in known.items()) + "</dl>"


def system(known: Known) -> str:
    shown = {key: value for key, value in known.items() if key not in ("jvm_flags", "configuration")}
    for key in ("kind", "image", "digest", "version"):
        shown.setdefault(key, None)
    if known.get("pid") is not None:
        shown["pid"] = str(known["pid"])
    flags = known.get("jvm_flags")
    flag_lines = "\n".join(map(str, flags)) if isinstance(flags, list) and flags else None
    return section("Sidecar", listing(shown) + block("JVM flags", flag_lines) + block("Configuration", known.get("configuration")))


def memory(known: Known) -> dict[str, Any]:
    """The conditions of the memory figures. Without a cgroup there is no working set, and its row says so."""
    version = known.get("cgroup")
    return {**known, "cgroup": f"version {version}" if version else "none of its own"} if known else {}


def block(title: str, lines: str | None) -> str:
    return f"<h3>{text(title)}</h3>" + (f"<pre>{text(lines)}</pre>" if lines else missing(title))


def files(result: Known) -> str:
    known = there(part(result, "files"))
    if not known:
        return section("Files", missing("files"))
    return section("Files", "<ul>" + "".join(f"<li>{anchor(path, name)}</li>" for name, path in known.items()) + "</ul>")


def anchor(path: object, words: str) -> str:
    """A link below the report's folder: with any path it becomes no address elsewhere."""
    return f'<a href="{html.escape("./" + urllib.parse.quote(str(path).lstrip("/")))}">{text(words)}</a>'
