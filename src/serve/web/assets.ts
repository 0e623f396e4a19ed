/**
 * The files that pages load: the style, the script and the icon, from this service alone. The name of each has its hash, so a browser may keep it for
 * ever, and loads the new one after an update.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { packageDirectory } from "../../package-directory.ts";

/** The folder of the package. */
const FOLDER = "web";
const HASH_CHARS = 12;
/** A year, and it is not asked for again in that time. */
const KEPT = "public, max-age=31536000, immutable";

const FILES = {
  style: { file: "style.css", type: "text/css; charset=utf-8" },
  script: { file: "live.js", type: "text/javascript; charset=utf-8" },
  icon: { file: "icon.svg", type: "image/svg+xml" },
} as const;

interface Asset {
  readonly address: string;
  readonly type: string;
  readonly bytes: Buffer;
}

export type Assets = Readonly<Record<keyof typeof FILES, Asset>>;

export function loadAssets(): Assets {
  const loaded = Object.entries(FILES).map(([name, { file, type }]): [string, Asset] => {
    const bytes = readFileSync(join(packageDirectory(), FOLDER, file));
    const hash = createHash("sha256").update(bytes).digest("hex").slice(0, HASH_CHARS);
    return [name, { address: `/assets/${hash}-${file}`, type, bytes }];
  });
  return Object.fromEntries(loaded) as Assets;
}

/** Also open to who has not logged in: the files say nothing of the ledger. */
export function addAssetRoutes(app: FastifyInstance, assets: Assets): void {
  for (const { address, type, bytes } of Object.values(assets)) {
    app.get(address, { config: { isOpen: true } }, async (_request, reply) => {
      reply.header("cache-control", KEPT).type(type);
      return bytes;
    });
  }
}
