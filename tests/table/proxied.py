"""A real nginx in front of a real `kibitz table`, both set up as docs/deploy.md says; only ports and paths are other ones."""

from __future__ import annotations

import re
import shlex
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

PAGE = (Path(__file__).parents[2] / "docs" / "deploy.md").read_text(encoding="utf-8")
NAME = "kibitz.example"
PATIENCE = 60.0
SERVER = """
daemon off;
master_process off;
pid nginx.pid;
error_log stderr;
events {}
http {
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    include kibitz.conf;
}
"""


def block(language: str) -> str:
    """The only block of code in a language on the page."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return str(found)


def service_words() -> list[str]:
    """The options with which the page's service starts `kibitz table`."""
    (command,) = re.findall(r"^ExecStart=(.*)$", block("ini"), re.MULTILINE)
    _, name, *words = shlex.split(command)
    assert name == "table"
    return words


@dataclass(frozen=True)
class Front:
    """A running nginx."""

    port: int
    http_port: int
    trusting: ssl.SSLContext

    def client(self, source: str = "127.0.0.1") -> httpx.Client:
        """A client at one of the loopback addresses that opens the public name."""
        transport = httpx.HTTPTransport(verify=self.trusting, local_address=source)
        return httpx.Client(transport=transport, base_url=f"https://127.0.0.1:{self.port}", headers={"Host": NAME}, timeout=PATIENCE)


@contextmanager
def nginx(folder: Path, address: str, forwarded: str = "$remote_addr") -> Iterator[Front]:
    """nginx in front of the table at an address. `forwarded` is what it sends as X-Forwarded-For."""
    program = find("nginx")
    certificate, key = make_certificate(folder)
    port, http_port = free_ports(2)
    text = re.sub(r"^ *listen \[::\].*\n", "", block("nginx"), flags=re.MULTILINE)  # not every machine has IPv6
    for documented, ours in (
        ("listen 80;", f"listen 127.0.0.1:{http_port};"),
        ("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"),
        ("/etc/letsencrypt/live/kibitz.example/fullchain.pem", str(certificate)),
        ("/etc/letsencrypt/live/kibitz.example/privkey.pem", str(key)),
        ("http://127.0.0.1:8484", address.rstrip("/")),
        ("X-Forwarded-For $remote_addr;", f"X-Forwarded-For {forwarded};"),
    ):
        assert text.count(documented) == 1, documented
        text = text.replace(documented, ours)
    (folder / "nginx.conf").write_text(SERVER, encoding="utf-8")
    (folder / "kibitz.conf").write_text(text, encoding="utf-8")
    errors = folder / "nginx-errors.txt"
    with errors.open("w", encoding="utf-8") as said:
        process = subprocess.Popen([program, "-p", str(folder), "-c", "nginx.conf", "-e", "stderr"], stderr=said)
    try:
        wait_for(port, process, errors)
        yield Front(port, http_port, ssl.create_default_context(cafile=str(certificate)))
    finally:
        process.terminate()
        process.wait(PATIENCE)


def find(program: str) -> str:
    """An installed program."""
    path = shutil.which(program) or shutil.which(program, path="/usr/sbin:/usr/local/sbin")
    assert path, f"{program} is missing; tools/nginx installs it"
    return path


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for the public name, signed by itself, and its key."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    command = f"{find('openssl')} req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN={NAME}"
    made = ["-addext", f"subjectAltName=DNS:{NAME},IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*command.split(), *made], check=True, capture_output=True)
    return certificate, key


def free_ports(count: int) -> list[int]:
    """Ports at which nothing listens."""
    listening = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in listening]
    for each in listening:
        each.close()
    return ports


def wait_for(port: int, process: subprocess.Popen[bytes], errors: Path) -> None:
    """Wait until something listens."""
    until = time.monotonic() + PATIENCE
    while True:
        assert process.poll() is None and time.monotonic() < until, errors.read_text(encoding="utf-8")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
            return
        except OSError:
            time.sleep(0.05)
