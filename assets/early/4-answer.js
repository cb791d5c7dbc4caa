/* Show the title and the first sentence of a page before the scripts that draw it have loaded and run. */
(function () {
    /* The visible nodes of a page in reading order. */
    function* nodes(value) {
        for (const one of [value].flat()) {
            if (one?.props && !one.props.hidden) {
                yield one;
                yield* nodes(one.props.children);
            }
        }
    }

    function text(value) {
        return [value].flat().map((one) => (one?.props ? text(one.props.children) : (one ?? ""))).join("");
    }

    const hasClass = (name) => ({props}) => String(props.className ?? "").split(" ").includes(name);

    function show(content) {
        const early = document.querySelector(".ts-early");
        const all = early ? [...nodes(content)] : [];
        const title = all.find(({type}) => type === "H1");
        const sentence = all.find(hasClass("ts-headline")) ?? all.find(hasClass("ts-answer"));
        if (!title) {
            return;
        }
        const lines = [title, sentence].map((node) => text(node?.props.children)).filter(Boolean);
        early.prepend(...lines.map((words) => {
            const line = document.createElement("p");
            line.textContent = words;
            return line;
        }));
    }

    function removeOnceDrawn() {
        const observer = new MutationObserver(remove);
        function remove() {
            if (document.getElementById("_pages_content")?.childElementCount) {
                observer.disconnect();
                document.querySelector(".ts-early").remove();
            }
        }
        observer.observe(document.body, {childList: true, subtree: true});
        remove();
    }

    document.addEventListener("DOMContentLoaded", removeOnceDrawn);
    window.tilescopePage
        .then((answer) => (answer.ok ? answer.json() : null))
        .then((page) => show(page?.response?._pages_content?.children))
        .catch(() => {}); // Dash reports the error when it uses the response
})();
