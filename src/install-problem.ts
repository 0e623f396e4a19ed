/**
 * Recognizes the failures of an installation: a package that is not there, or a native part that was not built for this machine or
 * cannot be loaded on it. They are neither bugs of licet nor problems of a configuration, and one command repairs each of them.
 */
import { existsSync } from "node:fs";
import { LicetError } from "./errors.ts";

/** A message quotes this much of what the system's loader says. */
const MAX_REASON_CHARS = 200;
/** What better-sqlite3 has in its package. On other machines its native part must be compiled. */
const PREBUILT_PLATFORMS = ["linux", "darwin", "win32"];
const PREBUILT_ARCHITECTURES = ["x64", "arm64"];

/** A native part by its file: the directory of its package, and the package's name. */
const NATIVE_FILE =
  /((?:[A-Za-z]:)?[\\/][^'"\n:]*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+))[\\/][^'"\n:]*\.node\b/;
/** Of `import` and of `require`, with the file that asked for the package. A name of a package begins with no slash and no dot. */
const MISSING_PACKAGES = [
  /^Cannot find package '([^']+)' imported from (.+)/,
  /^Cannot find module '((?![./\\]|[A-Za-z]:)[^']+)'\n?(?:Require stack:\n- (.+))?/,
];
/** The machine's C library is older than that of the machine where the native part was built. */
const OTHER_SYSTEM = /GLIBC|version .* not found|symbol not found/i;

/** Given by tests. */
type Machine = { readonly platform: string; readonly arch: string };

/**
 * @param error what an import, or the first use of a native part, threw
 * @returns the same as an operating error that says what to run; null for any other error
 */
export function toInstallError(error: unknown, machine: Machine = process): LicetError | null {
  if (!(error instanceof Error) || error instanceof LicetError) {
    return null;
  }
  switch ((error as NodeJS.ErrnoException).code) {
    case "ERR_MODULE_NOT_FOUND":
      return toMissingPackage(error);
    case "MODULE_NOT_FOUND":
      return toBrokenPart(error, machine) ?? toMissingPackage(error);
    case "ERR_DLOPEN_FAILED":
      return toBrokenPart(error, machine);
    default:
      return null;
  }
}

function toMissingPackage(cause: Error): LicetError | null {
  const match = MISSING_PACKAGES.map((pattern) => pattern.exec(cause.message)).find((found) => found !== null);
  const [, specifier, importer = ""] = match ?? [];
  if (specifier === undefined) {
    // A file of a package is missing, not the package. It may be a bug.
    return null;
  }
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  const root = projectOf(importer);
  return new LicetError("INSTALL_INCOMPLETE", `the package ${name}, which licet needs, is not installed`, {
    hint: root === null ? "Run `npm install -g licet`." : `Run \`npm install\` in ${root}.`,
    details: { package: name },
    cause,
  });
}

function toBrokenPart(cause: NodeJS.ErrnoException, { platform, arch }: Machine): LicetError | null {
  const [, directory, name] = NATIVE_FILE.exec(cause.message) ?? [];
  if (directory === undefined || name === undefined) {
    return null;
  }
  const reason = (cause.message.split("\n")[0] ?? "").slice(0, MAX_REASON_CHARS);
  const isThere = cause.code === "ERR_DLOPEN_FAILED";
  const isPrebuilt = PREBUILT_PLATFORMS.includes(platform) && PREBUILT_ARCHITECTURES.includes(arch);
  const problem = isThere
    ? `cannot be loaded on this machine: ${reason}`
    : isPrebuilt
      ? "is missing: it was not installed or was deleted"
      : `was not built: there is none for ${platform}-${arch}`;
  const mustCompile = isThere ? OTHER_SYSTEM.test(reason) : !isPrebuilt;
  return new LicetError("INSTALL_INCOMPLETE", `the native part of ${name}, which licet needs, ${problem}`, {
    hint: mustCompile
      ? `Compile it with Python and a C++ compiler: \`npx node-gyp rebuild --release --force_build=1 -C "${directory}"\`.`
      : reinstallHint(directory, platform),
    details: { package: name },
    cause,
  });
}

/** Install scripts are not needed for it: better-sqlite3 has its native parts in the package. */
function reinstallHint(directory: string, platform: string): string {
  const remove = platform === "win32" ? `rmdir /s /q "${directory}"` : `rm -rf "${directory}"`;
  const root = projectOf(directory);
  return root === null
    ? `Install it again: \`${remove} && npm install -g licet --ignore-scripts\`.`
    : `Install it again: \`${remove} && npm install --ignore-scripts\` in ${root}.`;
}

/** The directory of the project that has licet installed; null for an installation without a project (`npm install -g`). */
function projectOf(path: string): string | null {
  const [before = ""] = path.split(/[\\/]node_modules[\\/]/.test(path) ? /[\\/]node_modules[\\/]/ : /[\\/]dist[\\/]/);
  return existsSync(`${before}/package.json`) ? before : null;
}
