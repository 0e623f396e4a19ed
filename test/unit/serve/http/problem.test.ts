import fastify from "fastify";
import { expect, it } from "vitest";
import { LicetError } from "../../../../src/errors.ts";
import { createGate } from "../../../../src/serve/api/gate.ts";
import { addProblems } from "../../../../src/serve/http/problem.ts";

async function answerTo(work: () => unknown) {
  const logged: string[] = [];
  const log = (message: string, fields: object = {}) => logged.push(JSON.stringify({ message, ...fields }));
  const app = fastify();
  addProblems(app, { debug: log, info: log, warn: log });
  app.get("/", async () => work());
  const answer = await app.inject({ url: "/" });
  return { status: answer.statusCode, headers: answer.headers, problem: answer.json(), text: answer.body, logged };
}

it("an operating error is answered with its code, hint and details, and its own status", async () => {
  const { status, problem, headers, logged } = await answerTo(() => {
    throw new LicetError("RUN_NOT_FOUND", "there is no run run_a", { hint: "look", details: { runId: "run_a" } });
  });
  expect({ status, problem, type: headers["content-type"], logged }).toEqual({
    status: 404,
    problem: {
      type: "about:blank",
      title: "Not Found",
      status: 404,
      detail: "there is no run run_a",
      code: "RUN_NOT_FOUND",
      hint: "look",
      details: { runId: "run_a" },
    },
    type: "application/problem+json; charset=utf-8",
    logged: [],
  });
});

it.each([
  ["an error", () => new TypeError("what only the log may know")],
  [
    "an error that says it is the client's, with a status that is not",
    () => Object.assign(new Error("what only the log may know"), { statusCode: 500 }),
  ],
])("%s that nobody expects is answered with an id, and logged with it", async (_what, create) => {
  const { status, problem, text, logged } = await answerTo(() => {
    throw create();
  });
  expect(status).toBe(500);
  expect(problem).toMatchObject({ code: "INTERNAL_ERROR", details: { errorId: expect.any(String) } });
  expect(text).not.toMatch(/what only the log may know|\.ts/);
  expect(logged).toEqual([expect.stringContaining(problem.details.errorId)]);
  expect(logged[0]).toMatch(/what only the log may know.*problem\.test\.ts/);
});

it("a gate lets in as many as it may, and refuses the next until one has left", async () => {
  const gate = createGate("things", 2);
  const leaving: (() => void)[] = [];
  const stay = () => gate(() => new Promise<void>((resolve) => leaving.push(resolve)));
  const inside = [stay(), stay()];
  const { status, headers, problem } = await answerTo(stay);
  expect({ status, wait: headers["retry-after"], code: problem.code }).toEqual({
    status: 503,
    wait: "5",
    code: "SERVICE_BUSY",
  });
  leaving[0]?.();
  await inside[0];
  await expect(gate(async () => "in")).resolves.toBe("in");
  await expect(gate(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  await expect(gate(async () => "in again")).resolves.toBe("in again");
  leaving[1]?.();
  await inside[1];
});
