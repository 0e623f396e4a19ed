// A process of its own on the compiled ledger, driven over IPC: {method, args} is called, its outcome sent back.
import { openSqliteLedger } from "../../dist/src/ledger/sqlite/open.js";

const ledger = await openSqliteLedger({ path: process.argv[2] });

process.on("message", async ({ id, method, args }) => {
  try {
    process.send({ id, result: await ledger[method](...args) });
  } catch (error) {
    process.send({ id, failure: { code: error.code ?? null, message: error.message } });
  }
  if (method === "close") {
    process.disconnect();
  }
});
process.send({ id: "ready" });
