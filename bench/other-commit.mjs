/** Builds another commit of licet beside this one, to measure both in turns. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** @returns its root, and how to take it away */
export function buildCommit(root, ref) {
  const parent = mkdtempSync(join(tmpdir(), "licet-bench-commit-"));
  const directory = join(parent, "licet");
  const remove = () => {
    rmSync(parent, { recursive: true });
    run(root, "git", "worktree", "prune");
  };
  try {
    run(root, "git", "worktree", "add", "--quiet", "--detach", directory, ref);
    const lock = (of) => readFileSync(join(of, "package-lock.json"), "utf8");
    if (lock(root) === lock(directory) && existsSync(join(root, "node_modules"))) {
      symlinkSync(join(root, "node_modules"), join(directory, "node_modules"));
      run(directory, "npm", "run", "--silent", "build");
    } else {
      // Builds at its end.
      run(directory, "npm", "ci", "--silent");
    }
  } catch (error) {
    remove();
    throw error;
  }
  return { root: directory, remove };
}

function run(cwd, program, ...args) {
  const { status, stderr } = spawnSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] });
  if (status !== 0) {
    throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${stderr}`);
  }
}
