"""Autobahn's cases, as kosoku runs them. Prints a line for each: its number, and what there is to know of how it went, as JSON.

websocket_judge.py server PORT CASES                  judges the server at the port
websocket_judge.py client PORT CASES COMMAND...       judges a client: the command, which is run while the cases are served at the port

CASES are numbers or patterns with *, separated by commas; those that begin with ! are left out.
"""

import asyncio
import hashlib
import json
import sys

from kosoku import FailureError, run_fuzzingclient, run_fuzzingserver

AT_A_TIME = 4
NEGOTIATED = ("sec-websocket-extensions", "sec-websocket-protocol")


def digest(received):
    return [[kind, *(hashlib.sha256(repr(part).encode()).hexdigest()[:16] for part in parts)] for kind, *parts in received or []]


def negotiated(head):
    lines = (line.split(":", 1) for line in (head or "").replace("\r", "").split("\n") if ":" in line)
    return {name.lower(): value.strip() for name, value in lines if name.lower() in NEGOTIATED}


def facts(case):
    answer = "" if case.is_server else case.http_response or ""
    return {
        "status": answer[9:12],
        "verdict": case.behavior.value,
        "close": case.behavior_close.value,
        "received": digest(case.received),
        "their-code": case.remote_close_code,
        "their-reason": case.remote_close_reason,
        "our-code": case.local_close_code,
        "clean": case.was_clean,
        "closed-by-us": case.closed_by_me,
        "failed-by-us": case.failed_by_me,
        "dropped-by-us": case.dropped_by_me,
        "no-drop-in-time": case.was_server_connection_drop_timeout,
        "no-open-in-time": case.was_open_handshake_timeout,
        "no-close-in-time": case.was_close_handshake_timeout,
        "negotiated": negotiated(case.http_request if case.is_server else case.http_response),
    }


async def judge_server(port, cases, left_out):
    return await run_fuzzingclient(f"ws://127.0.0.1:{port}", cases, left_out, concurrency=AT_A_TIME)


async def judge_client(port, cases, left_out, command):
    async with run_fuzzingserver(cases, left_out, host="127.0.0.1", port=port) as server:
        client = await asyncio.create_subprocess_exec(*command, stdout=sys.stderr)
        if await client.wait() != 0:
            raise SystemExit(f"the client ended with status {client.returncode}")
        return await asyncio.wait_for(server.get_result(), 60)


async def main(role, port, cases, *command):
    wanted = [case for case in cases.split(",") if not case.startswith("!")]
    left_out = [case[1:] for case in cases.split(",") if case.startswith("!")]
    try:
        if role == "server":
            results = await judge_server(int(port), wanted, left_out)
        else:
            results = await judge_client(int(port), wanted, left_out, command)
    except FailureError as failure:
        results = failure.results
    for case in results:
        print(case.case_id, json.dumps(facts(case), sort_keys=True))


asyncio.run(main(*sys.argv[1:]))
