import { describe, expect, it } from "vitest";
import { parseJobData } from "../../../src/queue/job-data.ts";

describe("job data", () => {
  it.each([
    { data: { leaseId: "a" }, leaseId: "a" },
    { data: { leaseId: "x".repeat(200) }, leaseId: "x".repeat(200) },
    { data: { leaseId: "a", url: "https://news.example/" }, leaseId: "a" },
  ])("of $data name a lease, and nothing else is read", ({ data, leaseId }) => {
    expect(parseJobData("walk", data)).toEqual({ stage: "walk", leaseId });
  });

  it.each([
    { leaseId: "x".repeat(201) },
    { leaseId: "" },
    { leaseId: 1 },
    { leaseId: null },
    {},
    [],
    "a",
    null,
    undefined,
  ])("%j are not those of a batch", (data) => {
    expect(parseJobData("walk", data)).toBeNull();
  });

  it("of a report name no lease", () => {
    expect(parseJobData("report", { leaseId: null })).toEqual({ stage: "report", leaseId: null });
    expect(parseJobData("report", { leaseId: "a" })).toBeNull();
    expect(parseJobData("report", {})).toBeNull();
  });
});
