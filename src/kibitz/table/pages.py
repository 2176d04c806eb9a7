"""What a browser loads before it asks for anything: the page and its files, and the page that lists the API.

The API's page is written from the same description that /openapi.json gives, on the server: no script, nothing from elsewhere.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

STATIC = Path(__file__).with_name("static")
FRESH = {"Cache-Control": "no-cache"}  # kept by browsers, but asked for whether it is still the same

SOCKETS = (
    ("/api/tables/{table}/live", "At a table: play, look on, take notes, ask for advice."),
    ("/api/kibitz", "About any record: advice at a position, or every move judged."),
    ("/api/runs/{run}/live", "How a run is getting on, until its end."),
)
STYLE = """
:root { color-scheme: light dark; --ink: #1c1d22; --muted: #62656f; --rule: #d9dbe1; --card: #fff; --paper: #f6f6f4; --accent: #0b62a8 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e9eaee; --muted: #a3a7b3; --rule: #3a3d47; --card: #202229; --paper: #17181d; --accent: #7fbdf2 }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
main, header { max-width: 56rem; margin: 0 auto; padding: 1rem }
a { color: var(--accent) }
section { background: var(--card); border: 1px solid var(--rule); border-radius: .6rem; padding: .2rem 1rem 1rem; margin: 0 0 1rem }
h2 { font-size: 1.05rem; overflow-wrap: anywhere }
h2 b { color: var(--accent); font-family: ui-monospace, monospace }
code { font-family: ui-monospace, monospace; font-size: .92em }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-top: 1px solid var(--rule); overflow-wrap: anywhere }
th { font-weight: 600; color: var(--muted) }
"""


class Files(StaticFiles):
    """The page's files, with a mark of their version; a browser asks each time whether it has the newest."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file."""
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = FRESH["Cache-Control"]
        return response


def index() -> Response:
    """The page itself."""
    file = STATIC / "index.html"
    if not file.is_file():
        raise HTTPException(404, "this installation has no pages for the browser.")
    return FileResponse(file, headers=FRESH, media_type="text/html; charset=utf-8")


# -- the API's page --


def api_page(description: dict[str, Any]) -> str:
    """The API in readable form."""
    shapes = description.get("components", {}).get("schemas", {})
    sections = []
    for path, verbs in description["paths"].items():
        for verb, operation in verbs.items():
            sections.append(_operation(verb.upper(), path, operation, shapes))
    sockets = "".join(f"<tr><td><code>{escape(path)}</code></td><td>{escape(about)}</td></tr>" for path, about in SOCKETS)
    title = escape(description["info"]["title"])
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{title}</title>\n<link rel="icon" href="/static/favicon.svg" type="image/svg+xml">\n<link rel="stylesheet" href="/api/style.css">\n</head>\n<body>\n'
        f"<header><h1>{title}</h1>\n<p>{escape(description['info'].get('description', ''))}</p>\n"
        '<p><a href="/openapi.json">The same as OpenAPI</a> · <a href="/">To the table</a></p></header>\n<main>\n'
        f"{''.join(sections)}<section><h2>WebSockets</h2>\n<table><tr><th>address</th><th>what for</th></tr>{sockets}</table>\n"
        "<p>Their messages are described in docs/table.md.</p></section>\n"
        f"<h2>Shapes</h2>\n{''.join(_shape(name, shape) for name, shape in sorted(shapes.items()))}</main>\n</body>\n</html>\n"
    )


def _operation(verb: str, path: str, operation: dict[str, Any], shapes: dict[str, Any]) -> str:
    rows = [
        _row(parameter["name"], parameter["in"], parameter["schema"], parameter.get("description", ""))
        for parameter in operation.get("parameters", [])
    ]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if body:
        rows.append(_row("body", "JSON", body, ""))
    asked = f"<table><tr><th>what</th><th>where</th><th>type</th><th></th></tr>{''.join(rows)}</table>" if rows else ""
    answers = "".join(
        f"<tr><td>{escape(code)}</td><td>{escape(answer.get('description', ''))}</td><td>{_answered(answer)}</td></tr>"
        for code, answer in operation.get("responses", {}).items()
    )
    needs = "<p>Needs a session: <code>Authorization: Bearer TOKEN</code>.</p>" if operation.get("security") else ""
    return (
        f"<section><h2><b>{verb}</b> {escape(path)}</h2>\n<p>{escape(operation.get('description') or operation.get('summary', ''))}</p>\n"
        f"{needs}{asked}<table><tr><th>status</th><th>when</th><th>what</th></tr>{answers}</table></section>\n"
    )


def _answered(answer: dict[str, Any]) -> str:
    return " or ".join(
        _type(content["schema"]) if content.get("schema") else escape(kind) for kind, content in answer.get("content", {}).items()
    )


def _shape(name: str, shape: dict[str, Any]) -> str:
    required = shape.get("required", [])
    rows = "".join(
        _row(field, "" if field in required else "optional", about, about.get("description", ""))
        for field, about in shape.get("properties", {}).items()
    )
    return (
        f'<section id="{escape(name)}"><h2>{escape(name)}</h2>\n<p>{escape(shape.get("description", ""))}</p>\n'
        f"<table><tr><th>field</th><th></th><th>type</th><th></th></tr>{rows}</table></section>\n"
    )


def _row(name: str, where: str, schema: dict[str, Any], about: str) -> str:
    return f"<tr><td><code>{escape(name)}</code></td><td>{escape(where)}</td><td>{_type(schema)}</td><td>{escape(about)}</td></tr>"


def _type(schema: dict[str, Any]) -> str:
    """A type in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f'<a href="#{escape(name)}">{escape(name)}</a>'
    for many in ("anyOf", "oneOf"):
        if many in schema:
            return " or ".join(_type(each) for each in schema[many])
    if "const" in schema:
        return f"<code>{escape(json.dumps(schema['const']))}</code>"
    if "enum" in schema:
        return " or ".join(f"<code>{escape(json.dumps(each))}</code>" for each in schema["enum"])
    kind = escape(str(schema.get("type", "anything")))
    if kind == "array":
        return f"list of {_type(schema.get('items', {}))}"
    limits = [f"{word} {schema[key]}" for key, word in (("minimum", "from"), ("maximum", "to"), ("maxLength", "at most")) if key in schema]
    return f"{kind} {' '.join(limits)}".strip()
