import { describe, expect, it } from "vitest";
import {
  PURCHASE_STATES,
  RELEASE_REASONS,
  releaseBy,
  TAKEN_BACK_REASONS,
  TOKEN_STATE,
  TRANSITIONS,
} from "../../../src/purchase/purchase.ts";

/** From state to state, in the order of the states. */
function reachable(): string[] {
  const steps = Object.values(TRANSITIONS).flatMap(({ from, to }) => from.map((state) => `${state} → ${to}`));
  return [...new Set(steps)].sort();
}

describe("the transitions of a purchase", () => {
  it("are those of the design, and content that comes after all", () => {
    expect(reachable()).toEqual(
      [
        "reserved → started",
        "reserved → released",
        "started → settled",
        "started → released",
        "started → in_doubt",
        "in_doubt → settled",
        "in_doubt → released",
        "released → settled",
      ].sort(),
    );
  });

  it("discard a token that was not used only where there is one", () => {
    expect(RELEASE_REASONS.filter((reason) => releaseBy(reason) === "discard")).toEqual(["token_unused"]);
    expect(TRANSITIONS.discard).toEqual({ from: [TOKEN_STATE], to: "released" });
  });

  it("never leave what is settled", () => {
    const left = new Set(Object.values(TRANSITIONS).flatMap(({ from }) => from as readonly string[]));
    expect(PURCHASE_STATES.filter((state) => !left.has(state))).toEqual(["settled"]);
  });

  it("release what may have been sent only for an answer of the gateway or for want of one", () => {
    const withdrawn = RELEASE_REASONS.filter((reason) => releaseBy(reason) === "withdraw");
    const neverStarted = TAKEN_BACK_REASONS.filter((reason) => reason !== "token_unused");
    expect([...withdrawn].sort()).toEqual(["token_refused", "token_failed", ...neverStarted].sort());
  });
});
