/* Columns of whole numbers and flags, as components/timeline/packed.py writes them. */
(function () {
    const MORE = 128; // the bit of a byte whose number continues in the next byte

    const bytesOf = (text) => Uint8Array.from(atob(text || ""), (letter) => letter.charCodeAt(0));

    /* Numbers of seven bits a byte, the lowest first. Multiplied and not shifted: times have more than 32 bits. */
    function numbers(text) {
        const bytes = bytesOf(text);
        const values = new Float64Array(bytes.reduce((count, byte) => count + (byte < MORE ? 1 : 0), 0));
        let at = 0;
        let value = 0;
        let scale = 1;
        for (const byte of bytes) {
            value += (byte % MORE) * scale;
            scale *= MORE;
            if (byte < MORE) {
                values[at++] = value;
                value = 0;
                scale = 1;
            }
        }
        return values;
    }

    /* As many flags, 0 or 1; without a text all are 0. */
    function flags(text, count) {
        const bytes = bytesOf(text);
        return Uint8Array.from({length: count}, (_, at) => (bytes[at >> 3] >> (at & 7)) & 1);
    }

    const parts = ((window.tilescope ||= {}).timeline ||= {});
    parts.packed = {numbers, flags};
})();
