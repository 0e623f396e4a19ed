/** Which configurations processes may use at an instant. */
import type { ScenarioSite } from "../scenario.ts";
import type { Evidence, SettingSet } from "./evidence.ts";

/** Two processes may have been started with different ones, and each goes by its own. */
export function inForce({ settings }: Pick<Evidence, "settings">): readonly SettingSet[] {
  return settings.filter(({ over }) => over !== true);
}

/** The newest: what the last run was started with. */
export function newestOf({ settings }: Pick<Evidence, "settings">): SettingSet {
  return settings.at(-1) as SettingSet;
}

/** A site as each configuration in force has it; none where it is not configured. */
export function sitesInForce(evidence: Pick<Evidence, "settings">, host: string): readonly ScenarioSite[] {
  return inForce(evidence).flatMap(({ sites }) => sites.find((site) => site.host === host) ?? []);
}
