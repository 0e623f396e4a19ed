/**
 * undici's client without the rest of undici. Its index loads fetch, WebSockets, caches and mocks as well: 109 modules and 30 MB, of which these two
 * files need 18 and 16 (docs/decisions/0150). undici does not promise which file has what, so the package takes its patches and no other version.
 */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

export const Client = require("undici/lib/dispatcher/client.js") as typeof import("undici").Client;
export type Client = import("undici").Client;
export const buildConnector = require("undici/lib/core/connect.js") as typeof import("undici").buildConnector;
