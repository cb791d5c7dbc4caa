"""Connections to a database server: reads without a transaction, and connections that it has closed."""

import pytest
from psycopg.pq import TransactionStatus
from sqlalchemy import text

from storage.catalogue import Catalogue


@pytest.fixture
def catalogue(postgres):
    catalogue = Catalogue(postgres.new(), connections=2)
    catalogue.create()
    yield catalogue
    catalogue.close()


def test_a_read_leaves_no_transaction_open(catalogue):
    with catalogue.connect() as connection:
        assert connection.scalar(text("select 1")) == 1
        driver = connection.connection.driver_connection
        assert driver.info.transaction_status == TransactionStatus.IDLE
    with catalogue.connect_snapshot() as connection:
        connection.execute(text("select 1"))
        driver = connection.connection.driver_connection
        assert driver.info.transaction_status == TransactionStatus.INTRANS


def test_a_connection_that_the_server_closed_is_replaced(catalogue, postgres):
    with catalogue.connect() as connection:
        process = connection.scalar(text("select pg_backend_pid()"))
        database = connection.scalar(text("select current_database()"))
    with postgres.connect(database) as other:
        other.execute("select pg_terminate_backend(%s, 60000)", [process])
    with catalogue.connect() as connection:
        assert connection.scalar(text("select pg_backend_pid()")) != process


def test_a_connection_that_was_closed_here_is_replaced(catalogue):
    with catalogue.connect() as connection:
        driver = connection.connection.driver_connection
    driver.close()
    with catalogue.connect() as connection:
        assert connection.scalar(text("select 1")) == 1
        assert connection.connection.driver_connection is not driver


def test_rows_are_streamed_from_a_snapshot(catalogue):
    with catalogue.begin() as connection:
        connection.execute(text("create table numbers as select generate_series(1, 1000) as n"))
    with catalogue.connect_snapshot() as connection:
        rows = connection.execution_options(yield_per=10).execute(text("select n from numbers"))
        first = next(iter(rows))
        with catalogue.begin() as writer:
            writer.execute(text("delete from numbers"))
        assert first.n + sum(row.n for row in rows) == 500_500
