"""What people do on the page of queries: from a question to a chart, saved, and back by its address."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

CELL = "#sql-grid .ag-cell"


def test_a_question_is_asked_drawn_saved_and_opened_by_its_address(page, server):
    page.goto("/sql")
    expect(page.locator(CELL).first).to_be_visible()
    page.locator("#sql-text").fill("SELECT source, count(*) AS how_many FROM runs GROUP BY ALL")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#sql-answer")).to_contain_text("how_many")
    page.get_by_label("chart").select_option("bar")
    expect(page.locator("#sql-chart .bars .point").first).to_be_attached()
    expect(page).to_have_url(re.compile(r"/sql\?sql=SELECT.*chart=bar"))
    page.locator("#sql-name").fill("runs by source")
    page.get_by_role("button", name="Save").click()
    saved = page.locator("#sql-saved-list").get_by_role("link", name="runs by source")
    expect(saved).to_be_visible()
    page.go_back()
    expect(page.locator("#sql-chart")).to_have_count(0)
    saved.click()
    expect(page.locator("#sql-text")).to_have_value(re.compile("how_many"))
    expect(page.locator("#sql-answer")).to_contain_text("how_many")
    page.get_by_role("button", name="Delete runs by source").click()
    expect(saved).to_have_count(0)


def test_a_mistake_is_said_with_its_place_and_a_table_unfolds_to_its_columns(page, server):
    page.goto("/sql?sql=SELECT+nothing+FROM+runs")
    expect(page.locator("#sql-answer [role=alert]")).to_contain_text("line 1, column 8")
    runs = page.locator(".ts-sql-tables details", has_text="runs").first
    expect(runs.locator("th")).to_have_count(0)
    runs.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(runs.get_by_role("rowheader", name="run_id")).to_be_visible()


def test_the_id_of_a_run_leads_to_its_page(page, server):
    page.goto("/sql?sql=SELECT+name%2C+run_id+FROM+runs+LIMIT+1")
    link = page.locator(CELL).get_by_role("link")
    expect(link).to_be_visible()
    run_id = link.inner_text()
    link.click()
    expect(page).to_have_url(re.compile(rf"/run/{run_id}$"))
