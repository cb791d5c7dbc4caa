/* Request layout, callbacks and the first page immediately and together: Dash would request them when its scripts have
   run, one after the other. If Dash's first request is for the same content it gets this response, else it is sent. */
(function () {
    const PAGE = [["_pages_content", "children"], ["_pages_store", "data"]];
    const PLACE = [["_pages_location", "pathname"], ["_pages_location", "search"]];
    const config = JSON.parse(document.getElementById("_dash-config").textContent);
    const headers = {Accept: "application/json", "Content-Type": "application/json"};
    const send = window.fetch;
    const begun = new Map();

    const name = ([id, property]) => id + "." + property;

    /* The request that Dash sends for the content of an opened page. */
    function pageRequest() {
        const changed = PLACE.map(name);
        return JSON.stringify({
            output: ".." + PAGE.map(name).join("...") + "..",
            outputs: PAGE.map(([id, property]) => ({id, property})),
            inputs: PLACE.map(([id, property]) => ({id, property, value: location[property]})),
            changedPropIds: changed,
            parsedChangedPropsIds: changed,
        });
    }

    function begin(path, query, options) {
        const address = config.requests_pathname_prefix + path;
        const answer = send(address + query, {credentials: "same-origin", headers, ...options});
        answer.catch(() => {}); // Dash reports the error when it uses the response
        begun.set(address, {answer, body: options.body});
        return answer;
    }

    const page = begin("_dash-update-component", "?endId=" + config.end_id, {method: "POST", body: pageRequest()});
    // Read once more than by Dash: see 4-answer.js.
    window.tilescopePage = page.then((answer) => answer.clone());
    begin("_dash-layout", "", {});
    begin("_dash-dependencies", "", {});

    function sendOrGive(url, options) {
        const address = String(url).split("?")[0];
        const early = begun.get(address);
        begun.delete(address);
        if (!begun.size && window.fetch === sendOrGive) {
            window.fetch = send;
        }
        const again = () => send.call(window, url, options);
        // Dash's own request repeats a failed one, so that an early request does no harm.
        return early && early.body === options?.body
            ? early.answer.then((answer) => (answer.ok ? answer : again()), again)
            : again();
    }

    window.fetch = sendOrGive;
})();
