/* Requests of uploads: with progress, and repeated while the connection or the server is gone or busy. */
(function () {
    const upload = (window.tilescopeUpload ||= {});
    const ROOT = "/api/v1";
    const LATER = new Set([429, 502, 503, 504]);
    const SENTENCES = {401: "You are not signed in any more: sign in and choose the file again.",
        403: "You may not upload files here."}; // for answers to HEAD, which have no body
    const MAX_S = 30;
    const STILL_MS = 60_000;

    /* No answer came. */
    class Gone extends Error {}
    /* A person stopped it. */
    class Stopped extends Error {}

    function parsed(text) {
        try {
            return JSON.parse(text);
        } catch {
            return null; // without a body, or the page of a proxy in between
        }
    }

    /**
     * Resolves to {status, answer, header} whatever the status; rejects with Gone or Stopped.
     *
     * @param {string} method
     * @param {string} path
     * @param {{headers?: Object<string, string>, body?: XMLHttpRequestBodyInit, signal?: AbortSignal,
     *          onSent?: (loaded: number, total: number) => void}} [options]
     */
    function request(method, path, {headers = {}, body = null, signal = null, onSent = () => {}} = {}) {
        return new Promise((resolve, reject) => {
            const asked = new XMLHttpRequest();
            const stop = () => asked.abort();
            let watch = 0;
            /* A connection that died without a word, as in a computer that slept, tells no error for many minutes. */
            const moved = () => {
                clearTimeout(watch);
                watch = setTimeout(stop, STILL_MS);
            };
            asked.open(method, ROOT + path);
            Object.entries(headers).forEach(([name, text]) => asked.setRequestHeader(name, text));
            asked.upload.onprogress = ({loaded, total}) => (moved(), onSent(loaded, total));
            asked.upload.onloadend = () => clearTimeout(watch);
            asked.onload = () => resolve({
                status: asked.status,
                answer: parsed(asked.responseText),
                header: (name) => asked.getResponseHeader(name),
            });
            asked.onerror = () => reject(new Gone());
            asked.onabort = () => reject(signal?.aborted ? new Stopped() : new Gone());
            asked.onloadend = () => (clearTimeout(watch), signal?.removeEventListener("abort", stop));
            if (signal?.aborted) {
                return reject(new Stopped());
            }
            signal?.addEventListener("abort", stop);
            if (body !== null) {
                moved();
            }
            asked.send(body);
        });
    }

    const newId = () => [...crypto.getRandomValues(new Uint8Array(16))]
        .map((byte) => byte.toString(16).padStart(2, "0")).join("");

    const asJson = (value) => ({body: JSON.stringify(value), headers: {"Content-Type": "application/json"}});

    /* Waits, but not beyond the moment at which the browser is online again. */
    function pauseFor(seconds, signal) {
        return new Promise((resolve, reject) => {
            const done = (end) => () => {
                clearTimeout(timer);
                removeEventListener("online", over);
                signal?.removeEventListener("abort", stop);
                end();
            };
            const over = done(resolve);
            const stop = done(() => reject(new Stopped()));
            const timer = setTimeout(over, 1000 * seconds);
            addEventListener("online", over);
            signal?.addEventListener("abort", stop);
        });
    }

    const sentence = ({status, answer}) => answer?.detail || SENTENCES[status] || `The server answered ${status}.`;

    function reason(answer) {
        if (answer) {
            return answer.answer?.detail || "The server is busy.";
        }
        return navigator.onLine ? "The server does not answer." : "This computer is offline.";
    }

    /* Does a step again, after growing pauses, until it is answered for good; `tell` is given how long and why. */
    async function patiently(step, {signal = null, tell = (_text) => {}, most = Infinity}) {
        for (let tries = 0; ; tries += 1) {
            const answer = await step(tries).catch((error) => {
                if (error instanceof Gone) {
                    return null;
                }
                throw error;
            });
            if ((answer && !LATER.has(answer.status)) || tries + 1 >= most) {
                return answer;
            }
            const seconds = Number(answer?.header("Retry-After")) || Math.min(2 ** tries, MAX_S);
            tell(`waiting ${seconds} s: ${reason(answer)}`);
            await pauseFor(seconds, signal);
        }
    }

    /* Asks the server to end the reading of these uploads; resolves to whether it knew one of them. */
    async function endReadings(ids) {
        const ask = (id) => patiently(() => request("DELETE", "/uploads/" + encodeURIComponent(id)), {most: 3});
        const answers = await Promise.all(ids.map(ask));
        return answers.some((answer) => answer?.status === 204);
    }

    Object.assign(upload, {request, newId, endReadings, asJson, patiently, pauseFor, sentence, Stopped});
})();
