import { KNOWN_PERMISSIONS } from "../../rates/license.ts";
import { isSlip } from "../../suggest-key.ts";
import { type ConfigPath, type ConfigProblem, invalid } from "../config-problem.ts";
import { toTexts } from "./loose-value.ts";

/**
 * Unknown permissions are allowed, because a gateway can add some. Probable typing errors are not: a `deny` with one would deny
 * nothing.
 */
export function findPermissionSlips(path: ConfigPath, names: unknown): ConfigProblem[] {
  return toTexts(names).flatMap((name) => {
    const meant = KNOWN_PERMISSIONS.find((known) => isSlip(known, name));
    const isKnown = (KNOWN_PERMISSIONS as readonly string[]).includes(name);
    return isKnown || meant === undefined
      ? []
      : [invalid(path, `names an unknown permission; did you mean "${meant}"?`)];
  });
}
