/* Panels with a component that loads, and the content of the page, have the attribute `data-loading`, by which styles
   draw their bars. A selector with `:has` would do without a script, but costs a run's page 80 ms of its 1.35 s: the
   browser evaluates it again for every line of a plot. */
(function () {
    const LOADING = "data-loading";
    const PARTS = "[data-dash-is-loading]";
    const AGAIN_MS = 500;
    let timer = null;

    function panelsAround(part) {
        const panels = [];
        for (let panel = part.closest(".ts-panel"); panel; panel = panel.parentElement.closest(".ts-panel")) {
            panels.push(panel);
        }
        return panels;
    }

    function mark(content) {
        const parts = [...content.querySelectorAll(PARTS)];
        const loading = new Set(parts.flatMap(panelsAround));
        if (parts.length || content.querySelector(".ts-progress:not([hidden])")) {
            loading.add(content);
        }
        for (const marked of [content, ...content.querySelectorAll("[" + LOADING + "]")]) {
            if (!loading.has(marked)) {
                marked.removeAttribute(LOADING);
            }
        }
        loading.forEach((element) => element.setAttribute(LOADING, ""));
        clearTimeout(timer);
        // A component that is removed while it loads changes no attribute.
        timer = loading.size ? setTimeout(() => mark(content), AGAIN_MS) : null;
    }

    function changed(records) {
        const content = document.getElementById("content");
        const tells = ({attributeName, target}) => attributeName !== "hidden" || target.matches(".ts-progress");
        if (content && records.some(tells)) {
            mark(content);
        }
    }

    const attributeFilter = ["data-dash-is-loading", "hidden"];
    new MutationObserver(changed).observe(document.documentElement, {subtree: true, attributeFilter});
})();
