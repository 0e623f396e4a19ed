import { beforeEach, describe, expect, it } from "vitest";
import { createOutagePolicy, createOutages, type Outages } from "../../../src/agent/runs/outages.ts";
import { thisProcess } from "../../../src/agent/this-process.ts";
import { createWaits, type Waits } from "../../../src/agent/waits/waits.ts";
import type { OutagePolicy } from "../../../src/pipeline/work/outage-policy.ts";
import { gatewayError } from "../../doubles/scripted-gateway.ts";

const NEVER = new AbortController().signal;
const FULL = gatewayError("DISK_FULL");
const AWAY = gatewayError("GATEWAY_UNREACHABLE");

let now = 0;
let outages: Outages;
let waits: Waits;
let reported: string[];
const policyOf = (runId: string): OutagePolicy =>
  createOutagePolicy(outages, { now: () => now }, { runId, ending: NEVER });

beforeEach(() => {
  now = 0;
  reported = [];
  const clock = { now: () => now };
  waits = createWaits({ clock, processes: thisProcess, ledger: async () => ({ writeWaits: async () => {} }) });
  outages = createOutages(clock, waits);
  outages.onChange(({ place }, isOver) => reported.push(`${place} ${isOver ? "is over" : "begins"}`));
});

describe("an outage that runs share", () => {
  it("is reported when the first run notices it, and when it is over for the last one", () => {
    outages.begin(FULL, "a");
    outages.begin(FULL, "b");
    outages.end("ledger", "a");
    expect(outages.current()).toMatchObject([{ place: "ledger", code: "DISK_FULL" }]);
    outages.end("ledger", "b");
    expect(outages.current()).toEqual([]);
    expect(reported).toEqual(["ledger begins", "ledger is over"]);
  });

  it("goes on when a run that has not noticed it has success", () => {
    outages.begin(FULL, "a");
    policyOf("b").reportSuccess("ledger");
    expect(outages.current()).toHaveLength(1);
  });

  it("is forgotten without a word with the last run that has noticed it", () => {
    outages.begin(FULL, "a");
    outages.begin(FULL, "b");
    outages.forget("a");
    expect(outages.current()).toHaveLength(1);
    outages.forget("b");
    expect(outages.current()).toEqual([]);
    expect(reported).toEqual(["ledger begins"]);
  });
});

describe("a work period that an outage ends", () => {
  it("does not call it over when a job that was under way has success", () => {
    const policy = policyOf("a");
    expect(policy.pausesFor(FULL)).toBe(true);
    policy.reportSuccess("ledger");
    expect(policy.pausesFor(FULL)).toBe(true);
    expect(reported).toEqual(["ledger begins"]);
    policyOf("a").reportSuccess("ledger");
    expect(reported).toEqual(["ledger begins", "ledger is over"]);
  });
});

describe("a request that has failed too often", () => {
  it("waits, and begins no outage, when another one was answered while the probe failed", async () => {
    const policy = policyOf("a");
    const probe = async () => {
      policy.reportSuccess("gateway");
      throw AWAY;
    };
    expect(await policy.isOutage({ about: "1", error: AWAY, probes: [probe] })).toBe(true);
    expect(reported).toEqual([]);
  });

  it("begins an outage when all probes fail, for a second without asking again", async () => {
    const policy = policyOf("a");
    let probed = 0;
    const probe = async () => {
      probed += 1;
      throw AWAY;
    };
    now = 10_000;
    expect(await policy.isOutage({ about: "1", error: AWAY, probes: [probe, probe] })).toBe(true);
    now += 999;
    expect(await policy.isOutage({ about: "2", error: AWAY, probes: [probe] })).toBe(true);
    expect(probed).toBe(2);
    expect(reported).toEqual(["gateway begins"]);
  });
});
