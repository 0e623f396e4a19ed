import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildUsageBody, type ReportedEntry } from "../../../src/usage/usage-batch.ts";

const STANDARD: ReportedEntry = {
  url: "https://news.example/ä?q=1",
  timesUsed: 2,
  licenseType: "ON_DEMAND_LICENSE",
  licenseCuid: null,
};
const CUSTOM: ReportedEntry = {
  url: "https://news.example/b",
  timesUsed: 1,
  licenseType: "CUSTOM_LICENSE",
  licenseCuid: "c1",
};

const text = (body: Uint8Array) => new TextDecoder("utf-8", { fatal: true }).decode(body);

describe("buildUsageBody", () => {
  it("writes the body of the specification, and an id only where there is one", () => {
    expect(text(buildUsageBody({ idempotencyId: "id-1", entries: [STANDARD, CUSTOM] }))).toBe(
      '{"idempotencyId":"id-1","usage":[' +
        '{"url":"https://news.example/ä?q=1","timesUsed":2,"licenseType":"ON_DEMAND_LICENSE"},' +
        '{"url":"https://news.example/b","timesUsed":1,"licenseType":"CUSTOM_LICENSE","licenseCuid":"c1"}]}',
    );
  });

  it("names what a license permits if that is known, also if it is nothing", () => {
    const entries = [
      { ...STANDARD, licensePermissions: ["PARTIAL_USE", "CITATION_REQUIRED"] },
      { ...CUSTOM, licensePermissions: [] },
      { ...CUSTOM, licensePermissions: null },
    ];
    expect(text(buildUsageBody({ idempotencyId: "id-1", entries }))).toBe(
      '{"idempotencyId":"id-1","usage":[' +
        '{"url":"https://news.example/ä?q=1","timesUsed":2,"licenseType":"ON_DEMAND_LICENSE",' +
        '"licensePermissions":[{"name":"PARTIAL_USE"},{"name":"CITATION_REQUIRED"}]},' +
        '{"url":"https://news.example/b","timesUsed":1,"licenseType":"CUSTOM_LICENSE","licenseCuid":"c1","licensePermissions":[]},' +
        '{"url":"https://news.example/b","timesUsed":1,"licenseType":"CUSTOM_LICENSE","licenseCuid":"c1"}]}',
    );
  });

  it("uses the gateway's name for the id", () => {
    const body = text(buildUsageBody({ idempotencyId: "id-1", entries: [CUSTOM], licenseIdField: "licenseId" }));
    expect(body).toContain('"licenseId":"c1"');
    expect(body).not.toContain("licenseCuid");
  });

  it("gives the same bytes for the same report, whatever the order of an entry's fields", () => {
    const urls = fc.webUrl({ withQueryParameters: true });
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), urls, fc.integer({ min: 1 }), (idempotencyId, url, timesUsed) => {
        const entry = { url, timesUsed, licenseType: "ON_DEMAND_LICENSE", licenseCuid: "c" };
        const shuffled = { licenseCuid: "c", licenseType: "ON_DEMAND_LICENSE", timesUsed, url };
        expect(buildUsageBody({ idempotencyId, entries: [entry] })).toEqual(
          buildUsageBody({ idempotencyId, entries: [shuffled] }),
        );
      }),
    );
  });

  it.each([
    ["no entries", { idempotencyId: "id", entries: [] }],
    ["no id", { idempotencyId: "", entries: [STANDARD] }],
    ["no uses", { idempotencyId: "id", entries: [{ ...STANDARD, timesUsed: 0 }] }],
    ["half a use", { idempotencyId: "id", entries: [{ ...STANDARD, timesUsed: 0.5 }] }],
    ["a custom licence without its id", { idempotencyId: "id", entries: [{ ...CUSTOM, licenseCuid: null }] }],
  ])("treats a report with %s as a bug", (_, report) => {
    expect(() => buildUsageBody(report)).toThrow("bug:");
  });
});
