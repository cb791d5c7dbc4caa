import assert from "node:assert/strict";
import {test} from "node:test";
import {pageWith} from "./page.mjs";

const PART = 8 * 2 ** 20;

/* A server that keeps the bytes of one upload, and refuses the requests that `refuses` returns a status for. */
function serverOf(refuses = () => 0) {
    const server = {offset: null, requests: []};
    server.request = async (method, path, {body, headers} = {}) => {
        server.requests.push(method);
        const refused = refuses(server.requests.length, method);
        const header = (name) => (name === "Upload-Offset" ? String(server.offset) : null);
        if (refused) {
            return {status: refused, answer: {}, header};
        }
        if (method === "POST") {
            server.offset = 0;
            return {status: 201, answer: {id: "u1"}, header};
        }
        if (method === "PATCH") {
            assert.equal(Number(headers["Upload-Offset"]), server.offset);
            server.offset += body.size;
            return {status: 204, answer: null, header};
        }
        return {status: 200, answer: null, header};
    };
    return server;
}

function pageOf(server) {
    const page = pageWith(["upload_parts.js"], {
        tilescopeUpload: {
            request: server.request,
            asJson: (value) => ({body: JSON.stringify(value)}),
            patiently: (step) => step(0),
            readable: async () => {},
            pauseFor: async () => {},
            limit: () => PART,
            progress: () => {},
            show: () => {},
        },
    });
    return page.tilescopeUpload;
}

const entryOf = (size) => ({path: "a.json", file: new File([new Uint8Array(size)], "a.json", {lastModified: 1})});

test("a file goes in parts, from its first byte to its last", async () => {
    const server = serverOf();
    assert.equal(await pageOf(server).sendParts(entryOf(2 * PART + 5)), null);
    assert.equal(server.offset, 2 * PART + 5);
    assert.deepEqual(server.requests, ["POST", "PATCH", "PATCH", "PATCH"]);
});

test("after a conflict the server is asked how far the upload is", async () => {
    const server = serverOf((rank) => (rank === 3 ? 409 : 0));
    assert.equal(await pageOf(server).sendParts(entryOf(2 * PART)), null);
    assert.deepEqual(server.requests, ["POST", "PATCH", "PATCH", "HEAD", "PATCH"]);
});

test("an upload that is gone begins again, three times at most", async () => {
    const server = serverOf((rank, method) => (method === "PATCH" ? 404 : 0));
    const answer = await pageOf(server).sendParts(entryOf(5));
    assert.equal(answer.status, 404);
    assert.equal(server.requests.filter((method) => method === "POST").length, 4);
});

test("a file that is chosen again after a reload goes on with its upload", async () => {
    const server = serverOf((rank) => (rank === 3 ? 403 : 0));
    const upload = pageOf(server);
    const entry = entryOf(2 * PART);
    assert.equal((await upload.sendParts(entry)).status, 403);
    upload.release(entry);
    const again = entryOf(2 * PART);
    upload.recall(again);
    assert.equal(again.id, "u1");
    assert.equal(await upload.sendParts(again), null);
    assert.equal(server.offset, 2 * PART);
});
