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
_ALIKE = """(() => {
    const looks = new Map(), ids = new Map(), alike = [];
    const look = (element) => {
        if (!element) return 0;
        if (looks.has(element)) return looks.get(element);
        const {backgroundColor, backgroundImage, color, display, filter, fontSize, fontWeight, mixBlendMode, opacity,
            textShadow, visibility} = getComputedStyle(element);
        const key = [look(element.parentElement), element.localName, element.getAttribute("class"), backgroundColor,
            backgroundImage, color, display, filter, fontSize, fontWeight, mixBlendMode, opacity, textShadow,
            visibility, element.matches(":disabled, [aria-disabled=true]")].join("|");
        const isNew = !ids.has(key);
        if (isNew) ids.set(key, ids.size + 1);
        looks.set(element, ids.get(key));
        return ids.get(key);
    };
    const counts = new Map();
    for (const element of document.body.querySelectorAll("*")) {
        const hasText = [...element.childNodes].some(
            ({nodeType, data}) => nodeType === Node.TEXT_NODE && data.trim());
        if (!hasText || !element.checkVisibility()) continue;
        const id = look(element);
        const count = counts.get(id) ?? 0;
        if (count >= JUDGED) alike.push(element);
        counts.set(id, count + 1);
    }
    return alike;
})""".replace("JUDGED", "3")  # more than one, as the first may be scrolled out of sight
"""Elements with text that have the classes and colours of three earlier ones, and so have all of their ancestors.

Contrast takes four fifths of the time of axe, most of it on further rows of tables. `make slow` judges all of them.
"""
_FIND = """async ([rules, byLook]) => {
    const alike = byLook ? ALIKE() : [];
    alike.forEach((element) => element.setAttribute("data-alike", ""));
    axe.configure({rules: [{id: "color-contrast", selector: "*:not([data-alike])"}]});
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
    alike.forEach((element) => element.removeAttribute("data-alike"));
    // A mask cuts the words of an element into the shape of an icon, which axe does not see.
    const masked = [...document.querySelectorAll("p, .ts-panel")].filter((element) =>
        element.innerText.trim() && getComputedStyle(element).maskImage !== "none");
    judged.push(...masked);
    const told = ({id, impact, nodes}) => nodes.map(({target, html}) => [impact, id, target.join(" "), html]);
    return [...violations.flatMap(told), ...judged.map(({outerHTML}) => ["serious", "in a plot or masked", "", outerHTML])];
}""".replace("OF_PAGES", f'"{_OF_PAGES}"').replace("ALIKE", _ALIKE)
_GRIDS = ".ts-table:not(table), .ts-memory-grid, .ts-runs-grid, #run-table-body, .ag-root-wrapper"
_DRAWN = f"""() => [...document.querySelectorAll("{_GRIDS}")].every(
    (grid) => !grid.offsetParent || grid.querySelector(".ag-cell, .ag-overlay-wrapper"))"""
_STILL = """() => document.getAnimations().every(
    ({playState, effect}) => playState !== "running" || effect.getComputedTiming().endTime === Infinity)"""
_CHOOSE = """(theme) => {
    if (document.documentElement.dataset.bsTheme !== theme) document.getElementById("theme-toggle").click();
}"""
_PLOTS_IN_THEME = """() => {
    const panel = getComputedStyle(document.documentElement).getPropertyValue("--ts-panel").trim();
    return [...document.querySelectorAll(".js-plotly-plot")].every(
        ({_fullLayout, offsetParent}) => !_fullLayout || !offsetParent
            // A timeline is clear, as its bars are painted below it.
            || [panel, "rgba(0,0,0,0)"].includes(_fullLayout.paper_bgcolor));
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


def grave(page, rules=None, *, by_look=False):
    """Return what axe-core finds serious or critical, by some rules or by all, and ids that several elements have.

    A colour on its way to another is judged where it arrives: on its way it may be of neither theme. With `by_look`,
    contrast is judged for some of the elements that look alike, see _ALIKE.
    """
    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(AXE_SCRIPT)
    page.wait_for_function(_STILL)
    return [
        found for found in page.evaluate(_FIND, [rules, by_look]) if found[0] in _GRAVE
    ], page.evaluate(_REPEATED)


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

    They have no words that axe judges, and drawing them anew takes longer than all the rest. Contrast is judged for
    some of the elements that look alike.
    """
    page.evaluate("document.documentElement.dataset.bsTheme = 'dark'")
    found = grave(page, OF_COLOURS, by_look=True)
    page.evaluate("document.documentElement.dataset.bsTheme = 'light'")
    return found
