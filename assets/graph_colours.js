/* Colours of a graph in the theme of the page; those of kinds of operations and blocks are in graph.css. */
(function () {
    const KINDS = ["memory", "constant", "arithmetic", "movement", "loop", "buffer", "call", "copy", "control",
        "error", "other", "block", "innermost loop", "loop 1", "loop 2", "loop 3", "loop 4", "loop 5", "loop 6",
        "core", "channel", "lock", "objectfifo", "waited lock"];
    const SHARE = 0.2;
    const MIN_OUTLINE = 3.2;
    const MIN_INK = 4.6;

    const parse = (text) => {
        const hex = text.trim().replace("#", "");
        return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16) || 0);
    };
    const write = (rgb) => "#" + rgb.map((value) => Math.round(value).toString(16).padStart(2, "0")).join("");
    const mix = (a, b, share) => a.map((value, i) => value + (b[i] - value) * share);

    function luminance(rgb) {
        const [r, g, b] = rgb.map((value) => {
            const part = value / 255;
            return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    }

    function contrast(a, b) {
        const [high, low] = [luminance(a), luminance(b)].sort((one, other) => other - one);
        return (high + 0.05) / (low + 0.05);
    }

    /* Moves a colour towards another one until it stands out enough. */
    function standOut(colour, from, towards, least) {
        let made = colour;
        for (let share = 0; share <= 1 && contrast(made, from) < least; share += 0.1) {
            made = mix(colour, towards, share);
        }
        return made;
    }

    function read(element) {
        const style = getComputedStyle(element);
        const of = (name) => parse(style.getPropertyValue(name));
        const [ground, ink] = [of("--ts-panel"), of("--ts-ink")];
        const kinds = Object.fromEntries(KINDS.map((kind) => {
            const own = of(`--ts-kind-${kind.replace(" ", "-")}`);
            const fill = mix(ground, own, SHARE);
            return [kind, {
                fill: write(fill),
                far: write(mix(ground, own, 0.75)),
                ink: write(standOut(ink, fill, luminance(ground) > 0.5 ? [0, 0, 0] : [255, 255, 255], MIN_INK)),
                outline: write(standOut(own, ground, ink, MIN_OUTLINE)),
            }];
        }));
        const named = (name) => write(of(`--ts-${name}`));
        return {
            kinds, background: write(ground), ink: write(ink), muted: named("muted"), raised: named("raised"),
            border: named("border"), made: named("good"), removed: named("trouble"), operand: named("link"),
            user: write(standOut(of("--ts-name-3"), ground, ink, MIN_OUTLINE)), selected: named("selection"),
            found: named("caution"), family: style.getPropertyValue("--ts-mono").trim() || "monospace",
        };
    }

    ((window.tilescope ||= {}).parts ||= {}).colours = {read, KINDS};
})();
