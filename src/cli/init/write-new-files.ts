import { access, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LicetError } from "../../errors.ts";

export interface NewFile {
  readonly name: string;
  readonly content: string;
}

/**
 * Writes files that must not exist yet: all of them, or none as far as can be checked before.
 * @returns their paths
 * @throws LicetError USAGE_INVALID
 */
export async function writeNewFiles(dir: string, files: readonly NewFile[]): Promise<readonly string[]> {
  const paths = files.map(({ name }) => join(dir, name));
  for (const path of paths) {
    const exists = await access(path).then(
      () => true,
      () => false,
    );
    if (exists) {
      throw existsAlready(path);
    }
  }
  try {
    await mkdir(dir, { recursive: true });
    for (const [index, { content }] of files.entries()) {
      // `wx` in addition to the check, because another init may have created the file meanwhile.
      await writeFile(paths[index] ?? "", content, { flag: "wx" });
    }
  } catch (error) {
    const { code = "unknown", path = dir } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && path !== dir) {
      throw existsAlready(path);
    }
    throw new LicetError("USAGE_INVALID", `cannot write to ${dir} (${code})`, {
      hint: "Name a directory that can be written: licet init DIR",
      details: { dir, code },
      cause: error,
    });
  }
  return paths;
}

function existsAlready(path: string): LicetError {
  return new LicetError("USAGE_INVALID", `${path} already exists and is not overwritten`, {
    hint: "Move it away, or name another directory: licet init DIR",
    details: { path },
  });
}
