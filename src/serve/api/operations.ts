import { documentOperations } from "./document-operations.ts";
import { fetchPages } from "./fetch-pages.ts";
import { followRun } from "./follow-run.ts";
import type { Operation } from "./operation.ts";
import { resolutionOperations } from "./resolution-operations.ts";
import { runActions } from "./run-actions.ts";
import { runOperations } from "./run-operations.ts";
import { siteOperations } from "./site-operations.ts";
import { statusOperations } from "./status-operations.ts";

/** The whole interface. */
export const OPERATIONS: readonly Operation[] = [
  ...runOperations,
  ...runActions,
  followRun,
  ...statusOperations,
  ...siteOperations,
  ...documentOperations,
  fetchPages,
  ...resolutionOperations,
];
