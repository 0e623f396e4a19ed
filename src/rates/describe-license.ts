import type { License } from "./license.ts";

const TYPES: Readonly<Record<string, string>> = {
  ON_DEMAND_LICENSE: "a standard licence for a single use",
  ON_DEMAND_FULL_USE_LICENSE: "a standard licence for a single use, of the full text",
  CUSTOM_LICENSE: "a licence that the publisher has made for some customers",
};
const PERMISSIONS: Readonly<Record<string, string>> = {
  PARTIAL_USE: "parts of the text may be used",
  FULL_USE: "the full text may be used",
  CITATION_REQUIRED: "the source must be cited",
};

/** What a license says, for somebody who does not know the gateway's words. The words themselves, and the text of the license, decide. */
export function describeLicense({ licenseType, cuid, licensePath, permissions }: License): string {
  const type = TYPES[licenseType] ?? "a licence of a type that the specification does not name";
  const rights =
    permissions === null
      ? "the gateway did not list its permissions"
      : permissions.length === 0
        ? "it lists no permission"
        : permissions.map((name) => PERMISSIONS[name] ?? `${name}, a permission of this gateway`).join("; ");
  const id = cuid === null ? "" : `, with the id ${cuid}`;
  const text = licensePath === null ? "" : `. Its text: ${licensePath}`;
  return `${type} (${licenseType})${id}: ${rights}${text}`;
}
