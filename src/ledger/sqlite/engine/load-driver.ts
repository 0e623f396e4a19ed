import Database from "better-sqlite3";
import { toInstallError } from "../../../install-problem.ts";

let isLoaded = false;

/**
 * Loads the native part of better-sqlite3, which the first database of a process would load. Called before a file is created.
 * @throws LicetError INSTALL_INCOMPLETE
 */
export function loadDriver(): void {
  if (isLoaded) {
    return;
  }
  try {
    new Database(":memory:").close();
    isLoaded = true;
  } catch (error) {
    throw toInstallError(error) ?? error;
  }
}
