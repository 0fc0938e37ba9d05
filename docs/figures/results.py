"""What is published of a measurement's result."""
import statistics

from columns import BURST, BY_RATE, CONFORMANCE, FAULT_OPTIONS, FEATURES, H2_OPTIONS, MODES, OPTIONS, PEERS, PROTOCOLS, STORM, TLS_OPTIONS, WARM_UP, WITH_FEATURES


class NotPublishable(Exception):
    """A measurement that must not be published, and why."""


def of_comparison(told, _):
    """What is published of compare.json."""
    if told.get("failure"):
        raise NotPublishable(f"the measurement stopped: {told['failure']}")

    rounds = max(map(len, told["rounds"].values()))
    notes = ["Rates missed: " + "; ".join(told["missed"])] if told.get("missed") else []
    return {"at": told["at"], "machine": told["machine"], "options": published(told["options"], rounds), "notes": notes,
            "versions": told["versions"], "left_out": told["left_out"], "figures": spreads(told["figures"]),
            "ratios": {reference: spreads(by_name) for reference, by_name in told["ratios"].items()}}


def spreads(by_name):
    return {name: {key: as_list(one) for key, one in by_key.items()} for name, by_key in by_name.items()}


def of_tls(told, _):
    """What is published of compare-tls.json."""
    if told.get("failure"):
        raise NotPublishable(f"the measurement stopped: {told['failure']}")
    rounds = max(map(len, told["rounds"].values()))
    bars = [{key: bar[key] for key in ("figure", "arm", "most", "places", "result")} | {"measured": as_list(bar["measured"])} for bar in told["bars"]]
    return {"at": told["at"], "machine": told["machine"], "options": {**{key: told["options"][key] for key in TLS_OPTIONS}, "rounds": rounds},
            "versions": told["versions"], "left_out": told["left_out"], "notes": failed_note(told), "figures": spreads(told["figures"]), "bars": bars}


def failed_note(told):
    """A list with a sentence on the arms that did not come to their end in some round, if there are any; their other figures stand."""
    failed = dict.fromkeys(f"{one['arm']}: {one['why']}" for one in told.get("failed_arms", []))
    return ["Failed: " + "; ".join(failed)] if failed else []


def of_h2(told, _):
    """What is published of compare-h2.json."""
    if told.get("failure"):
        raise NotPublishable(f"the measurement stopped: {told['failure']}")
    rounds = max(map(len, told["rounds"].values()))
    bars = [{key: bar[key] for key in ("figure", "arm", "bar", "relation", "places", "result")} | {"measured": as_list(bar["measured"])}
            for bar in told["bars"]]
    notes = ["Rates missed: " + "; ".join(told["missed"])] if told.get("missed") else []
    notes += ["Left out: " + "; ".join(told["left_out"].values())] if told["left_out"] else []
    notes += failed_note(told)
    return {"at": told["at"], "machine": told["machine"], "options": {**{key: told["options"][key] for key in H2_OPTIONS}, "rounds": rounds},
            "notes": notes, "versions": told["versions"], "left_out": told["left_out"], "figures": spreads(told["figures"]), "bars": bars}


def of_footprint(told, _):
    """What is published of footprint.json, which has the figures of every run."""
    if told.get("failure"):
        raise NotPublishable(f"the measurement stopped: {told['failure']}")
    figures, missed = {}, []
    for key, _, _ in BY_RATE.values():
        for run in told["runs"]:
            if run.get(key) is not None:
                figures.setdefault(key, {}).setdefault(run["arm"], {}).setdefault(str(run["rate"]), []).append(run[key])
    for run in told["runs"]:
        if run["rate_missed"] and [run["arm"], str(run["rate"])] not in missed:
            missed.append([run["arm"], str(run["rate"])])
    spreads = {key: {arm: {rate: [statistics.median(values), min(values), max(values)] for rate, values in by_rate.items()}
                     for arm, by_rate in by_arm.items()} for key, by_arm in figures.items()}
    rounds = max(run["round"] for run in told["runs"])
    return {"at": told["at"], "machine": told["machine"], "options": published(told["options"], rounds), "notes": [], "missed": missed,
            "figures": spreads}


def of_conformance(told, present):
    """The published verdicts, with that of report.json instead of the former one on its image; one with TLS, with
    features, or over another protocol, has a row of its own."""
    if told["verdict"] not in ("pass", "fail"):
        raise NotPublishable(f"the verdict is {told['verdict']}: " + "; ".join(told["reasons"]))
    values = {row["name"]: row["value"] for row in told["rows"]}
    missing = [name for name in CONFORMANCE if values.get(name) is None]
    if missing:
        raise NotPublishable("it lacks " + " and ".join(missing))
    image = told["plan"]["image"]
    name = f"remora:{image}" if told["system"]["kind"] == "container" else image
    if mode := MODES.get(told["plan"].get("tls", "off")):
        name += f", {mode} by {told['system']['tls']['engine'] or 'an engine that is not known'}"
    if features := FEATURES.get(told["plan"].get("features", "off")):
        name += f", {features}"
    if protocol := PROTOCOLS.get(told["plan"].get("protocol", "http1")):
        name += f", {protocol}"
    return {**present, name: {"at": told["at"], "verdict": told["verdict"],
                              **{key: values[row] for row, (key, _, _) in CONFORMANCE.items()}}}


def of_faults(told, _):
    """What is published of compare-faults.json: its table as it stands there, as cells differ in kind."""
    if told.get("failure"):
        raise NotPublishable(f"the measurement stopped: {told['failure']}")
    for fault, by_arm in told["runs"].items():
        if missing := [peer for peer in PEERS if peer not in by_arm]:
            raise NotPublishable(f"{' and '.join(missing)} did not run with the fault {fault}")
    rounds = max(len(rows) for by_arm in told["runs"].values() for rows in by_arm.values())
    bars = [{**bar, "fault": told["titles"][bar["fault"]]} for bar in told["bars"]]
    return {"at": told["at"], "machine": told["machine"], "options": {**{key: told["options"][key] for key in FAULT_OPTIONS}, "rounds": rounds},
            "versions": told["versions"], "headings": told["headings"], "table": told["table"], "bars": bars}


def of_storms(told, present):
    """The published storms and bursts with those of storm.json, each of which takes the place of the former one of its name on the same proxy under the
    same limit. Each has its own time, seconds and machine, as a row may be of several runs.

    A storm in which a proxy was killed is published like any other; what the machine could not run never gets here."""
    kinds = {kind: {name: rows for name, rows in (present or {}).get(kind, {}).items()} for kind in ("storms", "bursts")}
    for title, by_key in told["results"].items():
        found = {key: one for key, one in by_key.items() if key not in ("proxy", "limit")}
        if not found or "proxy" not in by_key:
            raise NotPublishable(f"{title} was not stormed, or by a program that did not name the proxy and its limit")
        kind, keys = ("bursts", BURST) if all("after_mb" in one for one in found.values()) else ("storms", STORM)
        kinds[kind].setdefault(title, {}).update(
            {key: {"at": told["at"], "seconds": one.get("seconds", told["seconds"]), "machine": told["machine"], **{name: one[name] for name in keys}}
             for key, one in found.items()})
    return {kind: by_limit(rows) for kind, rows in kinds.items()}


def of_features(told, _):
    """What is published of compare.json as `./measure compare --what features` has it: the bars."""
    if told.get("failure"):
        raise NotPublishable(f"the measurement stopped: {told['failure']}")
    bars = [{**bar, "measured": as_list(bar["measured"])} for bar in told.get("bars", []) if bar["arm"].endswith(WITH_FEATURES)]
    if not any(bar["measured"] for bar in bars):
        raise NotPublishable("no image ran with features and without")
    notes = ["Rates missed: " + "; ".join(told["missed"])] if told.get("missed") else []
    return {"at": told["at"], "machine": told["machine"], "options": published(told["options"], max(map(len, told["rounds"].values()))), "notes": notes, "bars": bars}


def of_added_cpu(told, _):
    """What is published of added-cpu.json: the bars."""
    if told.get("failure"):
        raise NotPublishable(f"the measurement stopped: {told['failure']}")
    bars = [{key: bar[key] for key in ("arm", "most", "places", "result")} | {"measured": as_list(bar["measured"])} for bar in told["bars"]]
    if not any(bar["measured"] for bar in bars):
        raise NotPublishable("no image ran with a mesh or features and without")
    options = {key: told["options"][key] for key in ("connections", "body", "blocks", "seconds", "rounds")}
    return {"at": told["at"], "machine": told["machine"], "options": options, "bars": bars}


def of_changes(told, present):
    """The published soaks of changes, with that of soak-reload.json or soak-takeover.json instead of the former one of its kind on its image, with as
    many routes."""
    if told["verdict"] not in ("pass", "fail"):
        raise NotPublishable(f"the verdict is {told['verdict']}: " + "; ".join(told["reasons"]))
    asked = told["options"]
    if asked.get("command"):
        raise NotPublishable("it was of a command, and not of an image")
    rows = {row["name"]: row["value"] for row in told["rows"]}
    slowest_ms = 1e3 * max(told["took_s"]) if told["took_s"] else None
    one = {"at": told["at"], "machine": told["machine"], "minutes": asked["minutes"], "changes": len(told["took_s"]), "requests": told["requests"] + told["came"],
           "lost": told["lost"] + told["came_lost"], "slowest_ms": slowest_ms, "rss_growth_mb": rows["RSS growth"], "verdict": told["verdict"]}
    routes = f", {asked['routes']:,} routes" if asked.get("routes") else ""
    return {**(present or {}), f"{asked['kind']}s of {asked['image']}{routes}": one}


def of_warm_up(told, present):
    """The published first seconds, with those of warm-up.json instead of the former ones on its image."""
    if told["status"] not in (0, 1) or any(row["failed"] for rows in told["starts"].values() for row in rows):
        raise NotPublishable(told["told"])
    figures = {kind: {key: of_values([row[key] for row in starts]) for key, _, _ in WARM_UP} for kind, starts in told["starts"].items()}
    return {**(present or {}), told["options"]["image"]: {"at": told["at"], "machine": told["machine"], "figures": figures,
                                                          "options": {key: told["options"][key] for key in ("starts", "rate", "connections")}}}


def of_values(values):
    return [statistics.median(values), min(values), max(values)]


def by_limit(rows):
    """A proxy's limits next to one another, the smallest first; the proxies in the order in which they came."""
    proxies = list(dict.fromkeys(title.rpartition(", ")[0] for title in rows))
    return dict(sorted(rows.items(), key=lambda row: (proxies.index(row[0].rpartition(", ")[0]), limit_mb(row[0]))))


def limit_mb(title):
    """Of the end of a title: 64 MiB, or 29.15 MB."""
    number, unit = title.rpartition(", ")[2].split()
    return float(number) * (1.048576 if unit == "MiB" else 1)


TAKERS = {"features": of_features, "added-cpu": of_added_cpu, "changes": of_changes, "warm-up": of_warm_up, "storms": of_storms, "faults": of_faults, "comparison": of_comparison, "tls": of_tls, "h2": of_h2,
          "footprint": of_footprint, "conformance": of_conformance}


def published(options, rounds):
    """The options without those that name files of the machine that measured."""
    return {**{key: options[key] for key in OPTIONS if key in options}, "rounds": rounds}


def as_list(spread):
    """None of a figure that there is not."""
    return [spread["median"], spread["low"], spread["high"]] if spread else None
