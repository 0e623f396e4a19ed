/**
 * The profile file: the names and paths of a real deployment, so that a configuration for it can be tested. YAML or JSON with the keys of
 * licet's `gateway` section. A whole configuration file with this section works too:
 *
 * ```yaml
 * service: Tollbit
 * headers: { token: "{Name}-Token" }
 * paths:   { rate: "/{name}/dev/v2/rate/{url}", rateBatch: "/{name}/dev/v2/rate/batch" }
 * ```
 */

import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { z } from "zod";
import { messageOf } from "../message-of.ts";
import { createGatewayNames, HEADER_KEYS, PATH_KEYS, type ProfileVariants } from "./gateway-names.ts";

const keys = {
  service: z.string().optional(),
  headers: z.partialRecord(z.enum(HEADER_KEYS), z.string()).optional(),
  paths: z.partialRecord(z.enum(PATH_KEYS), z.string()).optional(),
};
const profileSchema = z.strictObject(keys);
/** The sandbox ignores all other keys of a configuration file. */
const sectionSchema = z.object(keys);

export interface Profile {
  readonly service?: string | undefined;
  readonly variants: Pick<ProfileVariants, "headers" | "paths">;
}

/** @throws Error naming the file and each mistake in it */
export async function loadProfile(path: string): Promise<Profile> {
  let data: unknown;
  try {
    data = parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw new Error(`profile ${path}: ${messageOf(cause)}`, { cause });
  }
  const section = z.object({ gateway: z.unknown() }).safeParse(data).data?.gateway;
  const checked = section === undefined ? profileSchema.safeParse(data ?? {}) : sectionSchema.safeParse(section);
  if (!checked.success) {
    throw new Error(`profile ${path}:\n${z.prettifyError(checked.error)}`);
  }
  const { service, headers, paths } = checked.data;
  try {
    createGatewayNames(service ?? "Service", { headers, paths });
  } catch (cause) {
    throw new Error(`profile ${path}: ${messageOf(cause)}`, { cause });
  }
  return { service, variants: { headers, paths } };
}
