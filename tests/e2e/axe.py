"""Judge a page with axe-core, when nothing on it loads or moves any more."""

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import expect

from tests.e2e.conftest import wait_until_idle

OF_COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules that a theme can break: all others judge the same elements again."""
NOTHING = {"light": ([], []), "dark": ([], [])}
"""What `grave_by_theme` returns of a page without a fault."""
LOADS = ".ts-progress:not([hidden])"
_GRAVE = ("serious", "critical")
_OF_PAGES = "a, use, foreignObject, [role], [tabindex]"
"""What axe judges in a page, and no plot has: it judges no word of a picture, and walks over all of its lines."""
_FIND = """async (rules) => {
    const only = rules ? {runOnly: {type: "rule", values: rules}} : {};
    const take = (place, parts) => {
        const taken = document.createDocumentFragment();
        taken.append(...parts);
        return [place, taken];
    };
    const emptied = [...document.querySelectorAll(".main-svg")].map((plot) => take(plot, plot.childNodes));
    // Nobody sees or hears what is folded, and axe decides so for each word of it: 5,000 in the tables of SQL.
    const folded = [...document.querySelectorAll("details:not([open])")].map((fold) =>
        take(fold, [...fold.childNodes].filter(({nodeName}) => nodeName !== "SUMMARY")));
    const judged = emptied.flatMap(([, drawn]) => [...drawn.querySelectorAll(OF_PAGES)]);
    const {violations} = await axe.run(document, {...only, resultTypes: ["violations"]});
    [...emptied, ...folded].forEach(([place, taken]) => place.append(taken));
    // A mask cuts the words of an element into the shape of an icon, which axe does not see.
    const masked = [...document.querySelectorAll("p, .ts-panel")].filter((element) =>
        element.innerText.trim() && getComputedStyle(element).maskImage !== "none");
    judged.push(...masked);
    const told = ({id, impact, nodes}) => nodes.map(({target, html}) => [impact, id, target.join(" "), html]);
    return [...violations.flatMap(told), ...judged.map(({outerHTML}) => ["serious", "in a plot or masked", "", outerHTML])];
}""".replace("OF_PAGES", f'"{_OF_PAGES}"')
_GRIDS = ".ts-table:not(table), .ts-memory-grid, .ts-runs-grid, #run-table-body, .ag-root-wrapper"
_DRAWN = f"""() => ![...document.querySelectorAll(".ag-delay-render")].some((late) => late.offsetParent) &&
    [...document.querySelectorAll("{_GRIDS}")].every(
        (grid) => !grid.offsetParent || grid.querySelector(".ag-cell, .ag-overlay-wrapper"))"""
_STILL = """() => document.getAnimations().every(
    ({playState, effect}) => playState !== "running" || effect.getComputedTiming().endTime === Infinity)"""
_CHOOSE = """(theme) => {
    if (document.documentElement.dataset.bsTheme !== theme) document.getElementById("theme-toggle").click();
}"""
_PLOTS_IN_THEME = """() => {
    const panel = getComputedStyle(document.documentElement).getPropertyValue("--ts-panel").trim();
    return [...document.querySelectorAll(".js-plotly-plot")].every(
        ({_fullLayout, offsetParent}) => !_fullLayout || !offsetParent || _fullLayout.paper_bgcolor === panel);
}"""
"""Whether each plot in sight has the background of the theme: one that its page forgot stays white in the dark."""
_REPEATED = """() => {
    const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
    return ids.filter((id, at) => ids.indexOf(id) !== at);
}"""


def settle(page):
    """Wait until nothing loads and every grid that is in sight has drawn its cells."""
    wait_until_idle(page)
    expect(page.locator(f"[data-dash-is-loading], {LOADS}")).to_have_count(0)
    page.wait_for_function(_DRAWN)


def grave(page, rules=None):
    """Return what axe-core finds serious or critical, by some rules or by all, and ids that several elements have.

    A colour on its way to another is judged where it arrives: on its way it may be of neither theme.
    """
    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(AXE_SCRIPT)
    page.wait_for_function(_STILL)
    return [found for found in page.evaluate(_FIND, rules) if found[0] in _GRAVE], page.evaluate(
        _REPEATED
    )


def in_theme(page, theme):
    """Have a page in a theme, whatever it is in, and wait for plots in its colours."""
    page.evaluate(_CHOOSE, theme)
    expect(page.locator(f"html[data-bs-theme={theme}]")).to_be_attached()
    settle(page)
    page.wait_for_function(_PLOTS_IN_THEME)


def grave_by_theme(page):
    """Return what `grave` finds in the light theme by all rules, and in the dark one by those that a theme can break.

    The choice of a theme is forgotten: the next page would draw all its figures in dark, then again in light.
    """
    in_theme(page, "light")
    light = grave(page)
    in_theme(page, "dark")
    dark = grave(page, OF_COLOURS)
    page.evaluate("localStorage.clear()")
    return {"light": light, "dark": dark}


def grave_as_if_dark(page):
    """Return what `grave` finds in the dark theme by rules of colours, of a page whose plots stay as they are.

    They have no words that axe judges, and drawing them anew takes longer than all the rest.
    """
    page.evaluate("document.documentElement.dataset.bsTheme = 'dark'")
    found = grave(page, OF_COLOURS)
    page.evaluate("document.documentElement.dataset.bsTheme = 'light'")
    return found
