"""All pages of the dashboard, in the order of navigation and documentation."""

from __future__ import annotations

from app.pages.admin.record import ADMIN_PAGE
from app.pages.alerts.record import ALERTS_PAGE
from app.pages.audit.record import AUDIT_PAGE
from app.pages.bisect.record import BISECT_PAGE, BISECTION_PAGE
from app.pages.compare.record import COMPARE_PAGE
from app.pages.jobs.record import JOBS_PAGE
from app.pages.lab.record import LAB_PAGE
from app.pages.landing.record import LANDING_PAGE
from app.pages.matrix.record import MATRIX_PAGE
from app.pages.not_found import NOT_FOUND_PAGE
from app.pages.page import Page
from app.pages.program.record import PROGRAM_PAGE
from app.pages.rights.record import RIGHTS_PAGE
from app.pages.run.record import RUN_PAGE
from app.pages.runs.record import RUNS_PAGE
from app.pages.sql.record import SQL_PAGE
from app.pages.status.record import STATUS_PAGE
from app.pages.tokens.record import TOKENS_PAGE
from app.pages.trends.record import TRENDS_PAGE

PAGES: tuple[Page, ...] = (
    LANDING_PAGE,
    STATUS_PAGE,
    BISECT_PAGE,
    BISECTION_PAGE,
    RUNS_PAGE,
    RUN_PAGE,
    COMPARE_PAGE,
    PROGRAM_PAGE,
    LAB_PAGE,
    MATRIX_PAGE,
    TRENDS_PAGE,
    SQL_PAGE,
    ADMIN_PAGE,
    ALERTS_PAGE,
    AUDIT_PAGE,
    JOBS_PAGE,
    TOKENS_PAGE,
    RIGHTS_PAGE,
    NOT_FOUND_PAGE,
)
