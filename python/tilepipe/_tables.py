"""Tables for terminals and notebooks. Uses rich where it is installed."""

from __future__ import annotations

import html as _html
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Sheet:
    """A title, a table, and lines below it."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    notes: Sequence[str] = field(default_factory=list)


def text(sheets: list[Sheet]) -> str:
    return "\n\n".join(map(_text, sheets))


def _text(sheet: Sheet) -> str:
    table = ""
    if sheet.columns:
        try:
            table = _rich(sheet)
        except ImportError:
            table = _plain(sheet)
    return "\n".join(filter(None, (sheet.title, table, *(f"  {note}" for note in sheet.notes))))


def _rich(sheet: Sheet) -> str:
    import io

    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in sheet.columns:
        table.add_column(column, justify="right" if column in ("order", "stage", "line") else "left", no_wrap=True)
    for row in sheet.rows:
        table.add_row(*(cell.replace("[", r"\[") for cell in row))
    out = io.StringIO()
    Console(file=out, width=160, color_system=None).print(table)
    return "\n".join(line.rstrip() for line in out.getvalue().rstrip("\n").split("\n"))


def _plain(sheet: Sheet) -> str:
    lines = [sheet.columns, *sheet.rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(sheet.columns))]
    return "\n".join(" " + "  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in lines)


def html(sheets: list[Sheet]) -> str:
    return "".join(map(_sheet_html, sheets))


def _sheet_html(sheet: Sheet) -> str:
    def row(cells: tuple[str, ...], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{_html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    table = ""
    if sheet.columns:
        body = "".join(row(cells, "td") for cells in sheet.rows)
        table = f"<table><thead>{row(sheet.columns, 'th')}</thead><tbody>{body}</tbody></table>"
    notes = "".join(f"<div>{_html.escape(note)}</div>" for note in sheet.notes)
    return f"<div><b>{_html.escape(sheet.title)}</b>{table}{notes}</div>"
