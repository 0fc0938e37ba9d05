"""Compares the sidecar with other proxies, or with itself, round by round on one machine.

  --what images      the runtime images, Envoy, HAProxy and nginx (default)
  --what mesh        two images with and without balancing, accrual, health checks, retries and breakers over three endpoints
  --what features    two images with and without tracing, a rate limit, rewrites and weighted clusters
  --what added-cpu   CPU time that a mesh or features add to a request
  --what tls         without TLS, with TLS, and with client certificates, using OpenSSL and the JDK's engine, Envoy and HAProxy
  --what h2          HTTP/2, gRPC and TCP, with Envoy and HAProxy
  --what faults      one of three endpoints fails, behind the sidecar, Envoy and HAProxy; needs root
  --what insight     an open dashboard, a CPU profile or a flight recording, and nothing
  --what memory      storms under a memory limit that is proportional to the memory at rest, for the sidecar, Envoy and HAProxy; needs root

Each kind has its own options. For example, use ./measure compare --what tls --help to list them.
"""
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple, NoReturn

from ..command_line import Parser, end_with
from ..comparisons import added_cpu, faults, h2, images, insight, tls
from . import storm

BOTH = ("i386-client", "amd64-c1")


class Kind(NamedTuple):
    """Its main function, and the words before those of the user."""

    main: Callable[[Sequence[str] | None], NoReturn]
    words: Sequence[str] = ()


def with_and_without(variant: str) -> Kind:
    return Kind(images.main, ["--only", ",".join(name for image in BOTH for name in (image, image + variant))])


KINDS = {
    "images": Kind(images.main),
    "mesh": with_and_without("+mesh"),
    "features": with_and_without("+features"),
    "added-cpu": Kind(added_cpu.main),
    "tls": Kind(tls.main),
    "h2": Kind(h2.main),
    "faults": Kind(faults.main),
    "insight": Kind(insight.main),
    "memory": Kind(storm.main, ["--image", "i386-client,envoy,haproxy", "--memories", "64m,200m,44m"]),
}


def chosen(words: Sequence[str] | None) -> tuple[Kind, list[str]]:
    """The kind, and its words. Raises CouldNotRun."""
    # what it does not know are options of the kind, --help among them
    parser = Parser("compare", __doc__, add_help=False, allow_abbrev=False)
    parser.add_argument("--what", default="images", choices=KINDS)
    options, rest = parser.parse_known_args(words)
    kind = KINDS[options.what]
    return kind, [*kind.words, *rest]


def main(words: Sequence[str] | None = None) -> NoReturn:
    given = sys.argv[1:] if words is None else list(words)
    if given in (["-h"], ["--help"]):
        print(__doc__)
        sys.exit()

    def run() -> int:
        kind, rest = chosen(given)
        kind.main(rest)

    end_with("compare", run)


if __name__ == "__main__":
    main()
