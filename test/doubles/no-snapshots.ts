import type { Snapshots } from "../../src/ledger/snapshots.ts";

/** For what shows no page: nothing of it reads beside a writer. */
export const NO_SNAPSHOTS: Snapshots = {
  read: () => Promise.reject(new Error("nothing reads a snapshot here")),
  close: async () => {},
};
