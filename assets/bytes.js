/* Fields for numbers of bytes: an invalid text is marked, with the reason; the rules of schema/byte_sizes.py. */
(function () {
    const WRITTEN = /^([0-9]{1,19}(?:\.[0-9]{1,9})?)([A-Za-z]{0,3})$/;
    const UNITS = new Map([["", 1], ["B", 1], ["kB", 1e3], ["KB", 1e3], ["MB", 1e6], ["GB", 1e9],
        ["KiB", 2 ** 10], ["MiB", 2 ** 20], ["GiB", 2 ** 30]]);
    const MOST = 2 ** 62;

    function isBytes(text) {
        const found = WRITTEN.exec(text.replace(/\s/g, ""));
        const size = found && UNITS.has(found[2]) ? Number(found[1]) * UNITS.get(found[2]) : 0;
        return size > 0 && size <= MOST && Math.abs(size - Math.round(size)) < 1e-6;
    }

    addEventListener("input", (/** @type {FieldEvent} */ event) => {
        const field = event.target;
        if (field.matches?.(".ts-bytes")) {
            const wrong = field.value.trim() !== "" && !isBytes(field.value);
            field.setCustomValidity(wrong ? "not a number of bytes" : "");
            // The component takes no such attributes.
            field.setAttribute("aria-invalid", String(wrong));
            field.setAttribute("aria-describedby", field.closest(".ts-bytes-field").querySelector(".ts-refusal").id);
        }
    }, true);
})();
