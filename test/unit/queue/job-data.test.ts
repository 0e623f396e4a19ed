import { describe, expect, it } from "vitest";
import { parseJobData } from "../../../src/queue/job-data.ts";

describe("job data", () => {
  it.each([
    { data: { leaseId: "a" }, parsed: { leaseId: "a" } },
    { data: { leaseId: "x".repeat(200) }, parsed: { leaseId: "x".repeat(200) } },
    { data: { leaseId: "a", url: "https://news.example/" }, parsed: { leaseId: "a" } },
    { data: { leaseId: "x".repeat(201) }, parsed: null },
    { data: { leaseId: "" }, parsed: null },
    { data: { leaseId: 1 }, parsed: null },
    { data: {}, parsed: null },
    { data: [], parsed: null },
    { data: "a", parsed: null },
    { data: null, parsed: null },
    { data: undefined, parsed: null },
  ])("of $data is $parsed", ({ data, parsed }) => {
    expect(parseJobData(data)).toEqual(parsed);
  });
});
