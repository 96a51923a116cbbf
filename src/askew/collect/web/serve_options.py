"""The options of ``askew collect serve`` and ``askew collect demo``. Nothing heavy is imported before they are used."""

from __future__ import annotations

import argparse
from pathlib import Path

from askew.errors import need

SERVE = """\
examples:
  askew collect serve STUDY
  askew collect serve STUDY --model bundled:xnm --model openai:gpt-4o-mini --preset small
  askew collect serve STUDY --host 0.0.0.0 --trusted-host collect.example.org --forwarded-allow-ips 127.0.0.1

The first start prints a link that makes the owner's account; it works once. Behind a proxy that speaks TLS, name the
public host with --trusted-host. Several processes may serve one study."""

DEMO = """\
examples:
  askew collect demo
  askew collect demo --output my-demo --port 8001

Open the link, make the owner's account, and fool the robot. Simulated colleagues answer your questions while you go
on, and leave you some of theirs. Ctrl-C ends it: the round is frozen and released, ready for askew run."""


def add_serve_options(parser: argparse.ArgumentParser) -> None:
    """What the service takes."""
    parser.epilog, parser.formatter_class = SERVE, argparse.RawDescriptionHelpFormatter
    parser.add_argument("--host", default="127.0.0.1", metavar="IP", help="address to listen on (default 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, metavar="N", help="port to listen on (default 8000; 0: any)")
    parser.add_argument("--owner-link", action="store_true", help="print a new one-time link for the owner")
    new = parser.add_argument_group("for a new study")
    new.add_argument("--database", metavar="URL", help="postgresql+psycopg://user@host/name instead of a file")
    new.add_argument(
        "--model", action="append", metavar="MODEL", help="a robot: a model as for askew run; can be repeated"
    )
    new.add_argument("--preset", metavar="NAME", help="paper (3 writers, 9 verifiers; the default) or small (1 and 2)")
    new.add_argument("--scenes", type=int, metavar="N", help="images of the embedded world (default 60)")
    net = parser.add_argument_group("network")
    net.add_argument("--http", action="store_true", help="serve plain HTTP to other computers in a private network")
    net.add_argument("--root-path", default="", metavar="PATH", help="where a proxy mounts the service, e.g. /collect")
    net.add_argument("--forwarded-allow-ips", default="", metavar="IPS", help="proxies whose headers are trusted")
    net.add_argument(
        "--trusted-host",
        action="append",
        default=[],
        metavar="HOST",
        help="a host name of the service; can be repeated",
    )
    net.add_argument(
        "--private-host",
        action="append",
        default=[],
        metavar="HOST",
        help="a model's host name in a private network; can be repeated (addresses and localhost are allowed anyway)",
    )


def serve_with(args: argparse.Namespace) -> int:
    """Start the service; ends with Ctrl-C."""
    need("starlette", "collect")
    from askew.collect.web.first_study import NewStudy
    from askew.collect.web.serve import serve
    from askew.collect.web.server import Address

    new = NewStudy(Path(args.study), args.database, args.model, args.preset, args.scenes)
    address = Address(
        host=args.host,
        port=args.port,
        http=args.http,
        root_path=args.root_path,
        forwarded_allow_ips=args.forwarded_allow_ips,
        trusted_hosts=tuple(args.trusted_host),
    )
    return serve(new, address, owner_link=args.owner_link, private_hosts=args.private_host)


def add_demo_options(parser: argparse.ArgumentParser) -> None:
    """What the demo takes."""
    parser.epilog, parser.formatter_class = DEMO, argparse.RawDescriptionHelpFormatter
    parser.add_argument("--output", metavar="DIR", default="collect-demo", help="folder (default collect-demo)")
    parser.add_argument("--port", type=int, default=8000, metavar="N", help="port to listen on (default 8000; 0: any)")
    parser.add_argument("--seconds", type=float, metavar="S", help="stop after this many seconds (default: on Ctrl-C)")


def demo_with(args: argparse.Namespace) -> int:
    """Serve a small study with colleagues; freeze and release it at the end."""
    need("starlette", "collect")
    from askew.collect.web.demo_study import demo

    return demo(Path(args.output), args.port, args.seconds)
