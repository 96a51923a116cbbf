"""The examples in ``deploy`` fit the service, and the programs that read them accept them where they are installed."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from askew.cli import parser_of
from askew.collect.web.security import Limits
from askew.collect.web.serve import Address, check_address

DEPLOY = Path(__file__).parents[3] / "deploy"


def commands() -> dict[str, list[str]]:
    """How each example starts the service."""
    unit = next(line for line in (DEPLOY / "askew-collect.service").read_text().splitlines() if "ExecStart=" in line)
    entry = next(line for line in (DEPLOY / "Containerfile").read_text().splitlines() if line.startswith("ENTRYPOINT"))
    container = [*json.loads(entry.removeprefix("ENTRYPOINT ")), "--trusted-host", "collect.example.org"]
    return {"unit": shlex.split(unit.removeprefix("ExecStart=")), "container": container}


@pytest.mark.parametrize("name", ["unit", "container"])
def test_the_examples_start_the_service_with_options_that_exist(name: str) -> None:
    args = parser_of("collect").parse_args(commands()[name][2:])
    assert args.set_up
    address = Address(
        host=args.host, trusted_hosts=tuple(args.trusted_host), forwarded_allow_ips=args.forwarded_allow_ips
    )
    check_address(address)
    assert address.shown(8000) == "https://collect.example.org", "the owner's link is one that works from outside"


def test_both_containers_install_alike_and_the_command_has_every_extra_of_the_demo() -> None:
    service, command = ((DEPLOY / name).read_text().splitlines() for name in ("Containerfile", "Containerfile.cli"))
    assert [line for line in service if line.startswith("COPY")] == [
        line for line in command if line.startswith("COPY")
    ]
    assert any("'/source[language,rank,translate,bundled]'" in line for line in command)
    entry = next(line for line in command if line.startswith("ENTRYPOINT"))
    assert json.loads(entry.removeprefix("ENTRYPOINT ")) == ["/opt/askew/bin/askew"]


def test_proxies_take_what_the_service_takes_and_replace_what_clients_claim() -> None:
    nginx, caddy = (DEPLOY / "nginx.conf").read_text(), (DEPLOY / "Caddyfile").read_text()
    assert "client_max_body_size 260m" in nginx
    assert Limits().upload < 260 * 2**20
    assert "max_size 280MB" in caddy
    assert Limits().upload < 280 * 10**6
    assert "X-Forwarded-For $remote_addr" in nginx
    assert "$proxy_add_x_forwarded_for" not in nginx


def found(program: str) -> str:
    path = shutil.which(program, path="/usr/sbin:/usr/bin:/usr/local/bin:/bin")
    if path is None:
        pytest.skip(f"{program} is not installed")
    return path


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    unit = (DEPLOY / "askew-collect.service").read_text().replace("/opt/askew/bin/askew", "/bin/true")
    (tmp_path / "askew-collect.service").write_text(unit)
    command = [found("systemd-analyze"), "verify", str(tmp_path / "askew-collect.service")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = [line for line in done.stderr.splitlines() if "askew-collect" in line]
    assert (done.returncode, said) == (0, [])


def test_nginx_accepts_the_example(tmp_path: Path) -> None:
    program, openssl = found("nginx"), found("openssl")
    names = {kind: str(tmp_path / f"{kind}.pem") for kind in ("fullchain", "privkey")}
    made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x", "-days", "1"]
    subprocess.run([openssl, *made, "-out", names["fullchain"], "-keyout", names["privkey"]], check=True)
    text = (DEPLOY / "nginx.conf").read_text().replace("/etc/letsencrypt/live/collect.example.org", str(tmp_path))
    (tmp_path / "site.conf").write_text(text)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")  # by default where only root may write
    own = "".join(f"{kind}_temp_path {tmp_path}/{kind}; " for kind in kinds)
    http = f"access_log off; {own}include {tmp_path}/site.conf;"
    (tmp_path / "nginx.conf").write_text(f"pid {tmp_path}/pid; error_log stderr; events {{}} http {{ {http} }}")
    command = [program, "-t", "-c", str(tmp_path / "nginx.conf"), "-p", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_caddy_accepts_the_example() -> None:
    command = [found("caddy"), "validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
