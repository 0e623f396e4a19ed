// The `licet` of the how-tos: sends its arguments, environment and input to licet-server.ts, and prints and ends as that says.
import { randomUUID } from "node:crypto";
import { readFileSync, writeSync } from "node:fs";
import { request } from "node:http";
import { createInterface } from "node:readline";

const [port, ...args] = process.argv.slice(2);
const id = randomUUID();
const post = (path, body) =>
  new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method: "POST" }, resolve).on("error", reject);
    sent.end(JSON.stringify(body));
  });
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => post("/signal", { id }));
}
const stdin = args.includes("-") ? readFileSync(0, "utf8") : "";
const answer = await post("/run", { id, cwd: process.cwd(), env: process.env, args, stdin });
let end = 1;
for await (const line of createInterface({ input: answer })) {
  const { out, err, code } = JSON.parse(line);
  if (code === undefined) {
    writeSync(out === undefined ? 2 : 1, out ?? err);
  } else {
    end = code;
  }
}
process.exit(end);
