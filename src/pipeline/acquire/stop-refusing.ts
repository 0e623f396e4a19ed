import { isLicetError, type LicetError } from "../../errors.ts";
import { stopSite } from "../stop-site.ts";
import { describeFailure } from "../work/describe-failure.ts";
import type { AcquireContext } from "./acquire-context.ts";

/**
 * Stops the site when this refusal shows that the gateway answers every page of it so. The error contains the gateway's own
 * message.
 */
export async function stopRefusing({ deps, batch }: AcquireContext, error: LicetError): Promise<void> {
  const { answerStreaks } = deps;
  if (isLicetError(error, "GATEWAY_UNAUTHORIZED") && answerStreaks.unauthorized(batch.host)) {
    const detail = `every fresh token was refused: ${describeFailure(error)}`;
    await stopSite(deps, batch, { stop: "unauthorized", detail });
  } else if (isLicetError(error, "GATEWAY_REDIRECTED") && answerStreaks.redirected(batch.host)) {
    await stopSite(deps, batch, { stop: "redirected", detail: describeFailure(error) });
  }
}
