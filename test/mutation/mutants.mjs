/** Every mutant: a place in the product, and what breaks a promise there. */

import { ACT_MUTANTS } from "./mutants/acts.mjs";
import { CLOCK_AND_MONEY_MUTANTS } from "./mutants/clocks-and-money.mjs";
import { FETCH_MUTANTS } from "./mutants/fetches.mjs";
import { FILES_FROM_OUTSIDE_MUTANTS } from "./mutants/files-from-outside.mjs";
import { FIXED_BUG_MUTANTS } from "./mutants/fixed-bugs.mjs";
import { GATEWAY_MUTANTS } from "./mutants/gateway.mjs";
import { GOING_ON_MUTANTS } from "./mutants/going-on.mjs";
import { LEDGER_MUTANTS } from "./mutants/ledger.mjs";
import { LIST_AND_RIGHT_MUTANTS } from "./mutants/lists-and-rights.mjs";
import { MEETING_MUTANTS } from "./mutants/meetings.mjs";
import { PIPELINE_MUTANTS } from "./mutants/pipeline.mjs";
import { POLICY_MUTANTS } from "./mutants/policies.mjs";
import { REPORT_MUTANTS } from "./mutants/reports.mjs";
import { RUN_MUTANTS } from "./mutants/runs.mjs";
import { SERVICE_MUTANTS } from "./mutants/service.mjs";
import { UNUSED_TOKEN_MUTANTS } from "./mutants/unused-tokens.mjs";
import { WEB_MUTANTS } from "./mutants/web.mjs";
import { WORKER_MUTANTS } from "./mutants/workers.mjs";

/** @type {readonly import("./mutants.mjs").Mutant[]} */
export const MUTANTS = [
  ...LEDGER_MUTANTS,
  ...PIPELINE_MUTANTS,
  ...RUN_MUTANTS,
  ...GOING_ON_MUTANTS,
  ...GATEWAY_MUTANTS,
  ...FIXED_BUG_MUTANTS,
  ...POLICY_MUTANTS,
  ...SERVICE_MUTANTS,
  ...WEB_MUTANTS,
  ...LIST_AND_RIGHT_MUTANTS,
  ...FILES_FROM_OUTSIDE_MUTANTS,
  ...FETCH_MUTANTS,
  ...CLOCK_AND_MONEY_MUTANTS,
  ...UNUSED_TOKEN_MUTANTS,
  ...WORKER_MUTANTS,
  ...MEETING_MUTANTS,
  ...REPORT_MUTANTS,
  ...ACT_MUTANTS,
];
