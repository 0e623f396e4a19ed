/** What several tools take and give. */
import { z } from "zod";
import { pageUrl } from "../../agent/calls/fields.ts";
import { isLicenseType, KNOWN_PERMISSIONS, LICENSE_TYPES, type License } from "../../rates/license.ts";
import { MAX_TOOL_URLS, MAX_URL_CHARS } from "../tool.ts";

export const urlArgument = pageUrl.schema.max(MAX_URL_CHARS).describe("The full URL of a page.");
export const urlsArgument = z.array(urlArgument).min(1).max(MAX_TOOL_URLS).describe("Full URLs of pages.");
/** A license in words of the specification. Others are the gateway's own, and stand among the marked texts. */
export const licenseFacts = z.object({
  license: z.enum([...LICENSE_TYPES, "other"]),
  permissions: z
    .array(z.enum([...KNOWN_PERMISSIONS, "other"]))
    .nullable()
    .describe("Null: the gateway did not name them readably."),
});

export function toLicenseFacts({ licenseType, permissions }: License): z.infer<typeof licenseFacts> {
  return {
    license: isLicenseType(licenseType) ? licenseType : "other",
    permissions: permissions === null ? null : [...new Set(permissions.map(toKnown))],
  };
}

function toKnown(permission: string): (typeof KNOWN_PERMISSIONS)[number] | "other" {
  return KNOWN_PERMISSIONS.find((known) => known === permission) ?? "other";
}
