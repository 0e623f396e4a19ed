/** Every action of the web interface. */
import type { Action } from "./action.ts";
import { approvePlanAction } from "./plan-actions.ts";
import { cancelRunAction, resumeRunAction, startRunAction, stopRunAction } from "./run-actions.ts";
import {
  acknowledgeAlertAction,
  closeItemAction,
  pauseSiteAction,
  purgePageAction,
  resolvePurchaseAction,
  resolveReportAction,
  unpauseSiteAction,
} from "./word-actions.ts";

export const ACTIONS: readonly Action[] = [
  startRunAction,
  resumeRunAction,
  stopRunAction,
  cancelRunAction,
  approvePlanAction,
  resolvePurchaseAction,
  resolveReportAction,
  closeItemAction,
  acknowledgeAlertAction,
  pauseSiteAction,
  unpauseSiteAction,
  purgePageAction,
];
