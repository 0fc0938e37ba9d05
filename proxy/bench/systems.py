"""The systems that are measured: the configurations of the sidecar, its peers and the backend behind them all."""
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import measure
from measure import ADMIN, BACKEND, FRONT

NGINX = """worker_processes 1; daemon off; pid {work}/nginx.pid; error_log {work}/nginx.err;
events {{ worker_connections 8192; }}
http {{ access_log off; keepalive_requests 1000000000; keepalive_timeout 3600s;
  client_body_temp_path {work}/b; proxy_temp_path {work}/p; fastcgi_temp_path {work}/f; uwsgi_temp_path {work}/u; scgi_temp_path {work}/s;
  server {{ listen 127.0.0.1:{port} backlog=4096; location / {{ root {work}/www; }} location = /served {{ stub_status; }} }} }}
"""
REMORA = """admin: {{ address: "127.0.0.1:{admin}" }}
listeners:
  - name: inbound
    address: 127.0.0.1:{front}
    cluster: app
clusters:
  app: {{ endpoints: ["127.0.0.1:{port}"] }}
"""
ENVOY = """static_resources:
  listeners:
  - address: {{ socket_address: {{ address: 127.0.0.1, port_value: {front} }} }}
    filter_chains:
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: in
          route_config:
            virtual_hosts:
            - {{ name: all, domains: ["*"], routes: [ {{ match: {{ prefix: "/" }}, route: {{ cluster: app }} }} ] }}
          http_filters:
          - name: envoy.filters.http.router
            typed_config: {{ "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router }}
  clusters:
  - name: app
    type: STATIC
    load_assignment:
      cluster_name: app
      endpoints: [ {{ lb_endpoints: [ {{ endpoint: {{ address: {{ socket_address: {{ address: 127.0.0.1, port_value: {port} }} }} }} }} ] }} ]
"""
HAPROXY = """global
  nbthread 1
  maxconn 8192
defaults
  mode http
  timeout connect 1s
  timeout client 300s
  timeout server 300s
frontend in
  bind 127.0.0.1:{front}
  option forwardfor
  default_backend app
backend app
  http-reuse always
  server app 127.0.0.1:{port}
"""


def write_configs(work, body_bytes=1024):
    values = dict(front=FRONT, port=BACKEND, admin=ADMIN, work=work)
    for name, template in (("remora.yaml", REMORA), ("envoy.yaml", ENVOY), ("haproxy.cfg", HAPROXY), ("nginx.conf", NGINX)):
        (work / name).write_text(template.format(**values))
    work.chmod(0o755)  # nginx's worker may run as another user
    (work / "www").mkdir(exist_ok=True)
    (work / "www/body").write_bytes(b"x" * body_bytes)


def start_backend(work, log):
    measure.require_free(BACKEND)
    nginx = subprocess.Popen(["nginx", "-c", work / "nginx.conf"], stdout=log, stderr=log)
    measure.wait_for(BACKEND)
    if not measure.answers(BACKEND):
        measure.stop(nginx)
        sys.exit("the backend does not answer with 200: its log is in " + str(work / "nginx.err"))
    return nginx


def envoy_program(given=None):
    """The binary itself: what its Python package puts on the PATH is a wrapper, which would be measured in its place."""
    package = importlib.util.find_spec("envoy")
    if given or not package or not package.submodule_search_locations:
        return given or shutil.which("envoy")
    binary = Path(package.submodule_search_locations[0]) / "_bin/envoy"
    return str(binary) if os.access(binary, os.X_OK) else shutil.which("envoy")


def envoy_command(program, work):
    return [program, "-c", str(work / "envoy.yaml"), "--concurrency", "1", "-l", "error"]


def haproxy_command(program, work):
    return [program, "-db", "-f", str(work / "haproxy.cfg")]
