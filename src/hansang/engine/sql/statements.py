"""The SQL that reads and writes the rows of one table or index."""

from __future__ import annotations

from hansang.engine.sql.checksums import SIZE


def _joined(ordered: str, last: str = "") -> str:
    # Rows under a LIMIT reach the aggregate in their order; one value is handed over faster than many.
    joined = "CAST(group_concat(key) AS BLOB), CAST(group_concat(value) AS BLOB), sum(size), count(*)"
    # Beside min or max, a column that stands alone is that of the row which has it; to keep it takes a third of the time.
    joined += f", {last}" if last else ", NULL, NULL"
    return f"SELECT {joined} FROM (SELECT key, value, size {ordered})"


def _edges(table: str, before: str, ahead: str) -> str:
    """The row before the first of a span, and the one behind so many of them."""
    columns = f"SELECT key, value, size FROM {table} WHERE key"
    return (
        f"SELECT * FROM ({columns} {before} LIMIT 1) UNION ALL "
        f"SELECT * FROM ({columns} {ahead} LIMIT 1 OFFSET ?2)"
    )


class Statements(dict[int, dict[str, str]]):
    """The SQL for the rows of one table or index."""

    def __missing__(self, rows: int) -> dict[str, str]:
        table = f"rows_{rows:d}"
        limited = "LIMIT ?"
        bounded = f"FROM {table} WHERE key >= ? AND key < ?"
        self[rows] = {
            "get": f"SELECT value, size FROM {table} WHERE key = ?",
            "put": f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)",
            "replace": f"UPDATE {table} SET value = ?2, size = ?3 WHERE key = ?1",
            "delete": f"DELETE FROM {table} WHERE key = ?",
            "forward": f"SELECT key, value, size {bounded} ORDER BY key",
            "backward": f"SELECT key, value, size {bounded} ORDER BY key DESC",
            "edges": _edges(table, "< ?1 ORDER BY key DESC", ">= ?1 ORDER BY key"),
            "edges backward": _edges(table, ">= ?1 ORDER BY key", "< ?1 ORDER BY key DESC"),
            "keys": f"SELECT key {bounded} ORDER BY key {limited}",
            "entries": f"SELECT key, value, size {bounded} ORDER BY key {limited}",
            "joined forward": _joined(f"{bounded} ORDER BY key {limited}"),
            "joined backward": _joined(f"{bounded} ORDER BY key DESC {limited}"),
            "joined forward, last": _joined(f"{bounded} ORDER BY key {limited}", "value, max(key)"),
            "joined backward, last": _joined(f"{bounded} ORDER BY key DESC {limited}", "value, min(key)"),
            "joined forward, end": _joined(f"{bounded} ORDER BY key {limited}", "NULL, max(key)"),
            "joined backward, end": _joined(f"{bounded} ORDER BY key DESC {limited}", "NULL, min(key)"),
            "before": f"SELECT key, value, size FROM {table} WHERE key < ? ORDER BY key DESC LIMIT 1",
            "behind": f"SELECT key, value, size FROM {table} WHERE key >= ? ORDER BY key LIMIT 1",
            "total": f"SELECT total(size & {SIZE}) {bounded}",
            "measure": f"SELECT count(*), total(size & {SIZE}) FROM {table}",
        }
        return self[rows]


SQL = Statements()
