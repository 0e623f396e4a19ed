/** A fault that lasts from the first operation on ends in words that say what happened, to what, and what to do. */
import { afterAll, describe, expect, test } from "vitest";
import { isLicetError } from "../../src/errors.ts";
import { createFaultPoint, NO_FAULT } from "./fault.ts";
import type { LedgerFault } from "./ledger.ts";
import { MIXED_PLAN } from "./plans.ts";
import { NOTHING_LEFT, runWithFault } from "./run-with-fault.ts";
import { WIRE_FAULTS } from "./wire-faults.ts";
import { removeTemplate } from "./world.ts";

afterAll(removeTemplate);

const HOSTS = ["news.example", "index.example"];

/** Of each fault: what happened, and what to do about it. */
const MESSAGES: Readonly<Record<string, readonly [what: RegExp, todo: RegExp]>> = {
  "no connection": [/catalog of news\.example at http:\S+: no connection/, /Check gateway\.baseUrl, the network/],
  "a reset before it is read": [/the connection was lost/, /try again later/],
  "a reset while it is worked on": [/the connection was lost/, /try again later/],
  "a reset in the middle of its answer": [/the connection was lost/, /try again later/],
  "an answer that ends in the middle": [/the connection was lost/, /try again later/],
  "silence, and it never arrived": [/no answer before the timeout/, /raise gateway\.timeoutMs/],
  "silence, and it was done": [/no answer before the timeout/, /raise gateway\.timeoutMs/],
  "a 200 with half of its JSON": [/the body is not JSON/, /Check that gateway\.baseUrl/],
  "a 200 without a body": [/the body is not JSON/, /Check that gateway\.baseUrl/],
  "a 200 that is too large": [/larger than \d+ bytes/, /Use smaller pages/],
  "a 200 that is a page of a proxy": [/the body is not JSON/, /Check that gateway\.baseUrl/],
  "a 200 with an object of another shape": [/it has a different shape/, /Check that gateway\.baseUrl/],
  "a 200 with null": [/it has a different shape/, /Check that gateway\.baseUrl/],
  "a 200 with an empty list": [/it has a different shape/, /Check that gateway\.baseUrl/],
  "400": [/the gateway answered 400: made to answer 400/, /will refuse the same request again/],
  "401": [/catalog of news\.example: the gateway answered 401/, /Check gateway\.apiKey/],
  "403": [/the account is not enabled/, /ask the gateway's operator to enable your account/],
  "404": [/the gateway answered 404/, /check gateway\.paths/],
  "413": [/the gateway answered 413/, /will refuse the same request again/],
  "429": [/the gateway answered 429/, /Lower gateway\.requestsPerSecond/],
  "408": [/the gateway answered 408/, /try again later/],
  "500": [/the gateway answered 500/, /try again later/],
  "502": [/the gateway answered 502/, /try again later/],
  "503": [/the gateway answered 503/, /try again later/],
  "504": [/the gateway answered 504/, /try again later/],
};

describe("a gateway that only answers with", () => {
  test.each(Object.entries(MESSAGES))("%s", async (name, [what, todo]) => {
    const wire = WIRE_FAULTS.find((one) => one.name === name);
    if (wire === undefined) {
      throw new Error(`there is no fault "${name}"`);
    }
    const point = createFaultPoint(1, "lasting");
    const faults = { wire: { fault: wire.fault, requests: point } };
    const { problems, error, report } = await runWithFault(MIXED_PLAN, { faults, point, leavings: wire.lasting });
    expect(problems).toEqual([]);
    if (isLicetError(error)) {
      expect(error.message).toMatch(what);
      expect(error.hint).toMatch(todo);
      return;
    }
    expect(report).toMatchObject({ state: "failed", reason: expect.stringMatching(what) });
    for (const host of HOSTS) {
      expect(report?.reason).toContain(`${host}: `);
      const [told, ...more] = report?.warnings.filter((warning) => warning.startsWith(`${host} was stopped`)) ?? [];
      expect(told).toMatch(what);
      expect(told).toMatch(todo);
      expect(more).toEqual([]);
    }
  });
});

const LEDGER_MESSAGES: readonly (readonly [LedgerFault["code"], string, RegExp, RegExp])[] = [
  ["SQLITE_BUSY", "LEDGER_LOCKED", /the ledger is locked by another process: \S+licet\.sqlite/, /Wait until it ends/],
  [
    "SQLITE_FULL",
    "DISK_FULL",
    /the disk of the ledger is full: \S+licet\.sqlite/,
    /Free some disk space and run again/,
  ],
  ["SQLITE_IOERR", "LEDGER_UNWRITABLE", /the disk of the ledger reports an error: \S+licet\.sqlite/, /Check the disk/],
];

describe("a ledger that only answers with", () => {
  test.each(LEDGER_MESSAGES)("%s ends the run with %s", async (sqlite, code, what, todo) => {
    const point = createFaultPoint(1, "lasting");
    const ledger = { fault: { code: sqlite, when: "before" as const }, calls: point, statements: NO_FAULT };
    const { problems, error } = await runWithFault(MIXED_PLAN, { faults: { ledger }, point, leavings: NOTHING_LEFT });
    expect(problems).toEqual([]);
    expect(error).toMatchObject({
      code,
      message: expect.stringMatching(what),
      hint: expect.stringMatching(todo),
      details: { path: expect.stringContaining("licet.sqlite") },
    });
  });
});
