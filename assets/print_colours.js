/* Colours on paper: a sheet is white, so that a page in the dark theme is printed in the light one. Its plots have the
   colours of the dark theme in their figures; each of them is replaced by the light colour of the same name. */
(function () {
    const LIGHT = ':root, [data-bs-theme="light"]';
    const DARK = '[data-bs-theme="dark"]';
    const COLOUR = /#[0-9a-f]{6}\b|rgba?\(\s*\d+\s*,\s*\d+\s*,\s*\d+/gi;

    /* The custom properties of a theme by name, as in theme.css. */
    function palette(selector) {
        const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
        const styles = rules.filter((rule) => rule instanceof CSSStyleRule && rule.selectorText === selector);
        const named = (rule) => [...rule.style].map((name) => [name, rule.style.getPropertyValue(name).trim()]);
        return Object.fromEntries(styles.flatMap(named));
    }

    const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

    /* The replacement of each colour of one palette by that of another, as "r,g,b" -> [r, g, b]. */
    function replacements(from, to) {
        const isHex = (text) => /^#[0-9a-f]{6}$/i.test(text ?? "");
        // Of two names with one colour the first counts: it is the more general.
        const pairs = Object.entries(from).filter(([name, text]) => isHex(text) && isHex(to[name])).reverse();
        return new Map(pairs.map(([name, text]) => [String(channels(text)), channels(to[name])]));
    }

    function recolourText(text, colours) {
        return text.replace(COLOUR, (found) => {
            const isHex = found.startsWith("#");
            const [kind, own] = isHex ? ["", channels(found)] : [found.split("(")[0], found.match(/\d+/g).map(Number)];
            const other = colours.get(String(own));
            if (!other) {
                return found;
            }
            return isHex ? `#${other.map((part) => part.toString(16).padStart(2, "0")).join("")}`
                : `${kind}(${other.join(", ")}`;
        });
    }

    /* A copy of a part of a figure with other colours; numbers stay the arrays that they are. */
    function recolour(part, colours) {
        if (typeof part === "string") {
            return recolourText(part, colours);
        }
        if (Array.isArray(part)) {
            return typeof part[0] === "number" ? part : part.map((item) => recolour(item, colours));
        }
        if (part && typeof part === "object" && !ArrayBuffer.isView(part)) {
            return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, recolour(item, colours)]));
        }
        return part;
    }

    /* Change the page to the light theme; returns how to recolour a figure, null if the page is light already. */
    function toLight() {
        if (document.documentElement.dataset.bsTheme !== "dark") {
            return null;
        }
        const colours = replacements(palette(DARK), palette(LIGHT));
        document.documentElement.dataset.bsTheme = "light";
        return ({data, layout}) => ({data: recolour(data, colours), layout: recolour(layout, colours)});
    }

    function toDark() {
        document.documentElement.dataset.bsTheme = "dark";
    }

    (window.tilescope ||= {}).printColours = {recolour, replacements, toDark, toLight};
})();
