"""The SQL that reads and writes the rows of one table or index."""

from __future__ import annotations


def _joined(ordered: str) -> str:
    # Rows under a LIMIT reach the aggregate in their order; one value is handed over faster than many.
    inner = f"SELECT value, size {ordered}"
    return f"SELECT CAST(group_concat(value, ',') AS BLOB), total(size), count(*) FROM ({inner})"


class Statements(dict[int, dict[str, str]]):
    """The SQL for the rows of one table or index."""

    def __missing__(self, rows: int) -> dict[str, str]:
        table = f"rows_{rows:d}"
        limited = "LIMIT ?"
        bounded = f"FROM {table} WHERE key >= ? AND key < ?"
        self[rows] = {
            "get": f"SELECT value, size FROM {table} WHERE key = ?",
            "put": f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)",
            "delete": f"DELETE FROM {table} WHERE key = ?",
            "forward": f"SELECT value, size {bounded} ORDER BY key",
            "backward": f"SELECT value, size {bounded} ORDER BY key DESC",
            "keys": f"SELECT key {bounded} ORDER BY key {limited}",
            "entries": f"SELECT key, value, size {bounded} ORDER BY key {limited}",
            "joined forward": _joined(f"{bounded} ORDER BY key {limited}"),
            "joined backward": _joined(f"{bounded} ORDER BY key DESC {limited}"),
            "total": f"SELECT total(size) {bounded}",
            "measure": f"SELECT count(*), total(size) FROM {table}",
        }
        return self[rows]


SQL = Statements()
