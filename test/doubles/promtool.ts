import { execFileSync } from "node:child_process";

/** Why there is no promtool (Debian's package `prometheus`) to play rules with, or null. On CI that is a failure and not a reason to skip. */
export function findPromtoolProblem(): string | null {
  try {
    execFileSync("promtool", ["--version"], { stdio: "ignore" });
    return null;
  } catch {
    if (process.env.CI === "true") {
      throw new Error("promtool is not installed, and on CI the rules must be played");
    }
    return "no promtool on this machine";
  }
}
