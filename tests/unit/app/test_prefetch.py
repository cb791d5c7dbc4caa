from tests.support.aie_trace import trace_text


def held(dashboard):
    return dashboard.app.server.extensions["tilescope"].data._data._held


def test_a_page_asked_for_by_another_site_starts_no_analysis(dashboard, upload):
    run = upload().json["runs"][0]["run_id"]
    dashboard.get(f"/run/{run}", headers={"Sec-Fetch-Site": "cross-site"})
    assert not held(dashboard)


def test_a_page_that_a_person_opens_starts_its_analysis_and_not_without_bounds(dashboard, upload):
    run = upload(body=trace_text(iterations=5).encode()).json["runs"][0]["run_id"]
    for ghz in range(1, 9):
        assert dashboard.get(f"/run/{run}?clock_hz={ghz}GHz").status_code == 200
    assert len(held(dashboard)) <= 8
