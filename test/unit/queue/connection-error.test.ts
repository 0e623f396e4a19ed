import { expect, it } from "vitest";
import { isConnectionError } from "../../../src/queue/connection-error.ts";

it.each([
  "Connection is closed.",
  "All sentinels are unreachable. Retrying from scratch after 10ms.",
  "Too many Cluster redirections. Last error: Error: Connection is closed.",
  "Failed to refresh slots cache.",
  "None of startup nodes is available",
  "Cluster is disconnected.",
  "BullMQ: cluster reconnect timed out after 30000ms",
  "Socket timeout. Expecting data, but didn't receive any in 15000ms.",
  "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)",
  "READONLY You can't write against a read only replica.",
  "CLUSTERDOWN The cluster is down",
])("%s only says that the server is away or being replaced", (message) => {
  expect(isConnectionError(new Error(message))).toBe(true);
});

it.each(["NOPERM this user has no permissions", "ERR Error running script", "OOM command not allowed"])(
  "%s says more",
  (message) => {
    expect(isConnectionError(new Error(message))).toBe(false);
  },
);
