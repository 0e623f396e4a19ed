/** Whose turn it is when many ask at once. */
import fastify from "fastify";
import { expect, test, vi } from "vitest";
import { type ApiContext, addOperation, type Operation } from "../../../../src/serve/api/operation.ts";
import { createReaderLines } from "../../../../src/serve/http/reader-lines.ts";
import { PATIENCE } from "../../../doubles/patience.ts";

const READ: Operation = {
  id: "getStatus",
  call: "status",
  method: "GET",
  path: "/read",
  summary: "",
  asks: {},
  answer: "Status",
  status: 200,
  work: () => async () => ({}),
};

/** An interface of such operations, whose work ends when the test says so. */
function serve(...operations: Partial<Operation>[]) {
  const app = fastify();
  app.decorateRequest("tokenName", null);
  app.addHook("onRequest", async (request) => {
    request.tokenName = String(request.headers.token);
  });
  /** Who asked for what has begun, and what ends it. */
  const begun: { readonly by: string; readonly end: (answer: object) => void }[] = [];
  let isOver = false;
  const work: Operation["work"] = () => (request) =>
    new Promise((end) => {
      begun.push({ by: (request as { readonly by: string }).by, end });
      if (isOver) {
        end({});
      }
    });
  const context = { lineOf: createReaderLines() } as ApiContext;
  for (const operation of operations) {
    addOperation(app, context, { ...READ, ...operation, work });
  }
  return {
    /** The codes of their errors, undefined for an answer. */
    ask: (token: string, { method, path }: Pick<Operation, "method" | "path"> = READ, times = 1) =>
      Array.from({ length: times }, () =>
        app.inject({ method, url: path, headers: { token } }).then((answer) => answer.json().code),
      ),
    begun: () => begun.map(({ by }) => by),
    /** Also what begins later. */
    endAll: () => {
      isOver = true;
      for (const { end } of begun) {
        end({});
      }
    },
  };
}

test("four reads of one token are worked on at once and 64 wait, whatever they read; another token waits for none of them", async () => {
  const other = { method: "GET", path: "/other" } as const;
  const api = serve(READ, other);
  const much = [...api.ask("much", READ, 40), ...api.ask("much", other, 28)];
  expect(await Promise.all(api.ask("much"))).toEqual(["SERVICE_BUSY"]);
  expect(api.begun()).toEqual(Array(4).fill("much"));
  const third = api.ask("third");
  await vi.waitFor(() => expect(api.begun()).toEqual([...Array(4).fill("much"), "third"]), PATIENCE);
  api.endAll();
  expect(await Promise.all([...much, ...third])).toEqual(Array(69).fill(undefined));
});

test("actions and streams wait in no line", async () => {
  const action = { method: "POST", path: "/act" } as const;
  const stream = { method: "GET", path: "/stream", answer: { 200: { description: "" } } } as const;
  const api = serve(action, stream);
  const asked = [...api.ask("one", action, 5), ...api.ask("one", stream, 5)];
  await vi.waitFor(() => expect(api.begun()).toHaveLength(10), PATIENCE);
  api.endAll();
  await Promise.all(asked);
});

test("costly work has places for all who ask together, and refuses the others", async () => {
  const api = serve({ gate: { what: "explanations of a page", atOnce: 2 } });
  const asked = ["one", "two", "three"].flatMap((token) => api.ask(token));
  expect(await asked[2]).toBe("SERVICE_BUSY");
  expect(api.begun()).toEqual(["one", "two"]);
  api.endAll();
  expect(await Promise.all(asked.slice(0, 2))).toEqual([undefined, undefined]);
});
