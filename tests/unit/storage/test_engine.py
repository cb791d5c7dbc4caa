"""Connections to the embedded catalogue while other processes write."""

import sqlite3
from contextlib import closing

from sqlalchemy import event

from storage.engine import open_engine

SWITCH = "PRAGMA journal_mode = WAL"


def test_a_file_of_another_journal_is_waited_for_until_its_writer_is_done(tmp_path):
    path, said = tmp_path / "catalogue.db", []
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("create table runs (run_id text)")

        def meanwhile(statement):
            """Begin to write right before the switch, and end before the next statement."""
            said.append(statement)
            if said.count(SWITCH) == 1 and statement == SWITCH:
                writer.execute("BEGIN IMMEDIATE")
            elif writer.in_transaction:
                writer.execute("insert into runs values ('1')")
                writer.execute("COMMIT")

        engine = open_engine(f"sqlite:///{path}")
        event.listen(
            engine, "connect", lambda raw, _: raw.set_trace_callback(meanwhile), insert=True
        )
        with engine.connect() as connection:
            assert connection.exec_driver_sql("select run_id from runs").all() == [("1",)]
            assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        engine.dispose()
    assert said.count(SWITCH) == 2
