/** Why a saved plan is not bought. */
export const PLAN_REFUSALS = ["unreadable", "not_a_plan", "changed", "expired", "configuration"] as const;
/** Why a saved plan is not bought. */
export type PlanRefusal = (typeof PLAN_REFUSALS)[number];
