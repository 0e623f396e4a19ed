/** config/deploy: what an operator copies. Checked as far as a machine without systemd, docker and Redis allows. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { ALERT_KINDS } from "../../src/alert/alert.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { cliHere } from "../doubles/cli-here.ts";
import { read } from "../tidy/repository.ts";

const UNITS = readdirSync("config/deploy/systemd");
const SERVICES = UNITS.filter((name) => name.endsWith(".service"));
const SYSTEMD = spawnSync("systemd-analyze", ["--version"]).status === 0;
const WRAPPER = join(import.meta.dirname, "../../config/deploy", "licet-run");
const PROGRAM = "/opt/licet/node_modules/.bin/licet";

const unit = (name: string) => read(`config/deploy/systemd/${name}`);
const containerfile = read("config/deploy/Containerfile");
const stages = containerfile.split(/^FROM /m).slice(1);
const compose = parse(read("config/deploy/compose.yaml")) as Compose;

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: object;
  readonly secrets: object;
}

interface ComposeService {
  readonly image: string;
  readonly command: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes: readonly string[];
  readonly hostname?: string;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly stop_grace_period: string;
}

/** The words after `licet` of each command in a text. */
function commandsIn(text: string): string[][] {
  return [...text.matchAll(/^ExecStart=.*?\blicet (.*?)'?$/gm)].map(([, words = ""]) => words.split(" "));
}

/** Every command and option exists. Values are not checked. */
async function expectKnown([name = "", ...words]: readonly string[]): Promise<void> {
  const { code, stdout } = await cliHere([name, "--help"], { cwd: tmpdir() });
  expect({ name, code }).toEqual({ name, code: 0 });
  for (const option of words.filter((word) => word.startsWith("--"))) {
    expect(stdout, `${name} ${option}`).toContain(option);
  }
}

describe("the units of systemd", () => {
  test.skipIf(!SYSTEMD)("are correct for systemd-analyze verify", () => {
    const directory = mkdtempSync(join(tmpdir(), "licet-units-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    for (const name of UNITS) {
      // It looks for the program.
      writeFileSync(join(directory, name), unit(name).replaceAll(PROGRAM, "/bin/true"));
    }
    const files = UNITS.map((name) => join(directory, name));
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", ...files], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test.each(SERVICES)("%s calls commands and options that exist", async (name) => {
    const commands = commandsIn(unit(name));
    expect(commands).toHaveLength(1);
    for (const words of commands) {
      await expectKnown(words);
    }
  });

  test.each(SERVICES)("%s has no rights that it does not need, and no secret", (name) => {
    const text = unit(name);
    for (const line of [
      "User=licet",
      "NoNewPrivileges=true",
      "ProtectSystem=strict",
      "CapabilityBoundingSet=",
      "UMask=0077",
    ]) {
      expect(text.split("\n")).toContain(line);
    }
    expect(text).toMatch(/^LoadCredential=licet\.env:/m);
    expect(text).not.toMatch(/^Environment=(?!PATH=)/m);
  });

  test.each(SERVICES)("%s is confined like the service", (name) => {
    const confined = (text: string) =>
      text
        .split("\n")
        .filter((line) =>
          /^(?:Protect|Private|Restrict|Lock|NoNew|Remove|Ambient|Capability|SystemCall|UMask)\w*=/.test(line),
        )
        .toSorted();
    expect(confined(unit("licet.service")).length).toBeGreaterThan(15);
    expect(confined(unit(name))).toEqual(confined(unit("licet.service")));
  });

  test("start a worker again until its service takes it, under a name that stays, and give it longer to stop than it takes", () => {
    const text = unit("licet-worker@.service");
    expect(text).toMatch(/^StartLimitIntervalSec=0$/m);
    expect(text).toMatch(/^ExecStart=.* --name %H-%i /m);
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])).toBeGreaterThan(30);
    expect(text).not.toMatch(/^(?:StateDirectory|ReadWritePaths)=/m);
  });

  test("give the service longer to stop than it takes by default, and listen to the processes that it starts", () => {
    const text = unit("licet.service");
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])).toBeGreaterThan(30);
    expect(text).toMatch(/^Type=notify$/m);
    expect(text).toMatch(/^NotifyAccess=all$/m);
    expect(text).toMatch(/^WatchdogSec=60$/m);
  });
});

describe("licet-run", () => {
  test("gives the command to systemd as the user of the service, with its configuration and its secrets", () => {
    const directory = mkdtempSync(join(tmpdir(), "licet-wrapper-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    writeFileSync(join(directory, "systemd-run"), '#!/bin/sh\nfor word; do echo "$word"; done\n', { mode: 0o755 });
    const { status, stdout } = spawnSync(WRAPPER, ["runs", "--state", "died or so"], {
      encoding: "utf8",
      env: { PATH: `${directory}:${process.env.PATH}`, LICET_ENV: "/srv/licet.env" },
    });
    expect(status).toBe(0);
    const words = stdout.trimEnd().split("\n");
    expect(words).toEqual(
      expect.arrayContaining([
        "--property=User=licet",
        "--property=EnvironmentFile=/srv/licet.env",
        "--property=WorkingDirectory=/var/lib/licet",
      ]),
    );
    // Each word stays a word.
    expect(words.slice(words.indexOf(PROGRAM))).toEqual([
      PROGRAM,
      ...["runs", "--state", "died or so", "--config", "/etc/licet/licet.config.yaml"],
    ]);
  });
});

describe("the Containerfile", () => {
  test("has a stage that builds and one that runs, of the same pinned version", () => {
    expect(stages).toHaveLength(2);
    const images = stages.map((stage) => stage.split(/\s/)[0]);
    expect(new Set(images)).toEqual(new Set([`node:${read(".node-version").trim()}-bookworm-slim`]));
  });

  test("installs what the lock names, runs no install script, and fetches nothing else", () => {
    expect(containerfile).toMatch(/npm ci --ignore-scripts/);
    expect(containerfile).not.toMatch(/npm install|^ADD |curl|wget|apt-get|:latest/m);
  });

  test("runs as a user without rights, and hands the signal to node itself", () => {
    const [, last = ""] = stages;
    expect(last).toMatch(/^USER (?!root|0)\w+$/m);
    expect(last.indexOf("USER")).toBeLessThan(last.indexOf("ENTRYPOINT"));
    expect(last).toMatch(/^ENTRYPOINT \["node", "\/opt\/licet\/bin\/licet\.js"\]$/m);
    expect(last).toMatch(/^STOPSIGNAL SIGTERM$/m);
    expect(last).not.toMatch(/^(?:ENV|ARG) .*(?:KEY|TOKEN|SECRET|PASSWORD)/m);
  });

  test("asks whether licet is alive, and not whether the gateway is", () => {
    expect(containerfile).toMatch(/^HEALTHCHECK /m);
    expect(containerfile).toContain("127.0.0.1:8403/healthz");
    expect(containerfile).not.toContain("readyz");
  });

  test("copies only what is there, and starts a command that exists", async () => {
    const copied = [...containerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = ""]) =>
      names.split(" "),
    );
    for (const name of copied) {
      expect(readdirSync("."), name).toContain(name);
    }
    const shown = read("config/deploy/Containerfile.dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1));
    expect(shown.toSorted()).toEqual(copied.toSorted());
    await expectKnown(JSON.parse(/^CMD (.*)$/m.exec(containerfile)?.[1] ?? "[]") as string[]);
  });
});

describe("the compose file", () => {
  test("has two workers, which keep no file, and end what they have started", () => {
    const worker = compose.services.worker;
    expect(worker).toMatchObject({ image: compose.services.licet?.image, deploy: { replicas: 2 } });
    expect(worker?.volumes).toBeUndefined();
    expect(worker?.ports).toBeUndefined();
    expect(Number.parseInt(worker?.stop_grace_period ?? "", 10)).toBeGreaterThan(30);
  });

  test("starts commands that exist, with files of secrets", async () => {
    await expectKnown(compose.services.licet?.command ?? []);
    await expectKnown(compose.services.worker?.command ?? []);
    expect(Object.keys(compose.secrets)).toEqual(["licet_env", "licet_worker_env"]);
  });

  test("publishes to this machine alone, and fixes no host name", () => {
    expect(compose.services.licet?.ports).toEqual(["127.0.0.1:8403:8403"]);
    expect(compose.services.redis?.ports).toBeUndefined();
    expect(compose.services.licet?.hostname).toBeUndefined();
  });

  test("runs everything read-only and without capabilities, from pinned versions, with time to stop", () => {
    for (const [name, service] of Object.entries(compose.services)) {
      expect(service, name).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
      expect(service.image, name).toMatch(/:(?!latest)[\w.-]+$/);
    }
    expect(Number.parseInt(compose.services.licet?.stop_grace_period ?? "", 10)).toBeGreaterThan(30);
  });

  test("lets Redis keep its jobs: on the disk, and when its memory is full", () => {
    const words = compose.services.redis?.command.join(" ") ?? "";
    expect(words).toContain("--appendonly yes");
    expect(words).toContain("--maxmemory-policy noeviction");
    expect(compose.services.redis?.volumes).toContain("redis:/data");
    expect(Object.keys(compose.volumes)).toEqual(["ledger", "redis"]);
  });
});

describe("docs/operations.md", () => {
  test("names metrics that exist", () => {
    const known = new Set(read("docs/service-reference.md").match(/\blicet_[a-z_]+/g));
    const named = read("docs/operations.md").match(/\blicet_[a-z_]+/g) ?? [];
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  test("has a section for each kind of alert", () => {
    const document = read("docs/operations.md");
    expect(ALERT_KINDS.filter((kind) => !document.includes(`### ${kind}\n`))).toEqual([]);
  });
});

describe("the example of a configuration", () => {
  test("is correct with the example of the secrets, and uses each of them", async () => {
    const directory = mkdtempSync(join(tmpdir(), "licet-deploy-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    mkdirSync(directory, { recursive: true });
    const text = read("config/deploy/licet.config.yaml");
    writeFileSync(join(directory, "licet.config.yaml"), text);
    writeFileSync(join(directory, "licet.env"), read("config/deploy/licet.env.example"));
    const config = await loadConfig({ path: undefined, cwd: directory, env: {}, envFile: "licet.env" });
    expect(config.serve).toMatchObject({ host: "0.0.0.0", port: 8403 });
    expect(config.alerts).toHaveLength(1);
    const names = [...read("config/deploy/licet.env.example").matchAll(/^(\w+)=/gm)].map(([, name = ""]) => name);
    expect(names.filter((name) => !text.includes(`\${${name}}`))).toEqual([]);
  });
});
