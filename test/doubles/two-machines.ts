/** Two machines in one: network namespaces with a cable between them. What runs in one reaches the other by its address, and nothing else. */
import { execFileSync } from "node:child_process";
import { randomInt } from "node:crypto";

export interface TwoMachines {
  /** The program and the first arguments of whatever is to run on a machine. */
  readonly on: Readonly<Record<Machine, readonly string[]>>;
  /** What is sent is lost from now on, and no side hears of it. */
  unplug(): void;
  plug(): void;
  /** Ends what runs on them, and removes them. */
  remove(): void;
}

export type Machine = "service" | "second";

export const ADDRESSES: Readonly<Record<Machine, string>> = { service: "10.23.7.1", second: "10.23.7.2" };
const MACHINES = Object.keys(ADDRESSES) as Machine[];
const ip = (...args: string[]): string =>
  execFileSync("ip", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/**
 * Why there are no two machines to test with, or null. On CI the tools must be there. Whether the kernel gives namespaces to this user is not CI's to
 * say: then it is skipped there too.
 */
export function findNamespaceProblem(): string | null {
  const tools = [
    ["ip", "-V"],
    ["openssl", "version"],
    ["curl", "--version"],
  ] as const;
  for (const [tool, argument] of tools) {
    try {
      execFileSync(tool, [argument], { stdio: "ignore" });
    } catch {
      if (process.env.CI === "true") {
        throw new Error(`${tool} is not installed, and on CI the how-to of a second machine must be played`);
      }
      return `no ${tool} on this machine`;
    }
  }
  try {
    createTwoMachines().remove();
    return null;
  } catch (error) {
    return `this machine makes no network namespaces: ${String((error as Error).message).trim()}`;
  }
}

/** @throws Error of `ip`, as when this user may not */
export function createTwoMachines(): TwoMachines {
  const id = randomInt(1e9).toString(36);
  const names: Readonly<Record<Machine, string>> = { service: `licet-${id}-service`, second: `licet-${id}-second` };
  const made: string[] = [];
  const remove = () => {
    for (const name of made) {
      for (const pid of ip("netns", "pids", name).split("\n").filter(Boolean)) {
        try {
          process.kill(Number(pid), "SIGKILL");
        } catch {
          // It has just ended.
        }
      }
      ip("netns", "delete", name);
    }
  };
  try {
    for (const machine of MACHINES) {
      ip("netns", "add", names[machine]);
      made.push(names[machine]);
    }
    ip("link", "add", "wire", "netns", names.service, "type", "veth", "peer", "name", "wire", "netns", names.second);
    for (const machine of MACHINES) {
      ip("-n", names[machine], "address", "add", `${ADDRESSES[machine]}/24`, "dev", "wire");
      ip("-n", names[machine], "link", "set", "wire", "up");
      ip("-n", names[machine], "link", "set", "lo", "up");
    }
  } catch (error) {
    remove();
    throw error;
  }
  const on = (machine: Machine) => ["ip", "netns", "exec", names[machine]];
  const setAddress = (verb: "add" | "delete") =>
    ip("-n", names.service, "address", verb, `${ADDRESSES.service}/24`, "dev", "wire");
  return {
    on: { service: on("service"), second: on("second") },
    // Without its address the machine takes nothing, and keeps its connections. Of a cable that is out, the kernel hears.
    unplug: () => setAddress("delete"),
    plug: () => setAddress("add"),
    remove,
  };
}
