import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startDaemon } from "./daemon.ts";
import { waitFor } from "./wait-for.ts";

const program = fileURLToPath(new URL("../fixtures/daemons/undecided.mjs", import.meta.url));

/** Something at the place of a daemon's socket that will not decide a DEL. */
export interface UndecidedDaemon {
  readonly socketDir: string;
  end(): Promise<void>;
}

/** Starts one of `docs/shim.md`'s undecided daemons; `dying` is good for one call. */
export async function startUndecided(kind: string): Promise<UndecidedDaemon> {
  const directory = await mkdtemp(join(tmpdir(), "mt-undecided-"));
  const start = kinds[kind];
  if (start === undefined) throw new Error(`nobody knows how to be a daemon that is "${kind}"`);
  const { end, ...rest } = await start(directory);
  return {
    ...rest,
    end: async () => {
      await end();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

type Start = (directory: string) => Promise<UndecidedDaemon>;

const kinds: Readonly<Record<string, Start>> = {
  absent: async (directory) => ({ socketDir: directory, end: async () => undefined }),
  refusing: async (directory) => {
    const { daemon, socketDir } = await startReal(directory);
    await daemon.kill();
    return { socketDir, end: async () => undefined };
  },
  stopped: async (directory) => {
    const { daemon, socketDir } = await startReal(directory);
    daemon.freeze();
    return { socketDir, end: async () => await daemon.kill() };
  },
  silent: async (directory) => await startFixture("silent", directory),
  failing: async (directory) => await startFixture("failing", directory),
  dying: async (directory) => await startFixture("dying", directory),
  junk: async (directory) => await startFixture("junk", directory),
};

async function startReal(directory: string) {
  const socketDir = join(directory, "run");
  const configFile = join(directory, "daemon-config.json");
  const manifestDir = join(directory, "manifests");
  await mkdir(manifestDir);
  const config = {
    socketDir,
    manifestDir,
    kubernetes: "off",
    cniDir: join(directory, "cni"),
    stateDir: join(directory, "state"),
  };
  await writeFile(configFile, JSON.stringify(config));
  const logFile = join(directory, "daemon.log");
  const daemon = await startDaemon({ configFile, socket: join(socketDir, "multus.sock"), logFile });
  return { daemon, socketDir };
}

async function startFixture(kind: string, socketDir: string): Promise<UndecidedDaemon> {
  const child = spawn(process.execPath, [program, kind, join(socketDir, "multus.sock")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", reject).once("exit", () => resolve());
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  await waitFor("the daemon to listen", () => said !== "");
  return {
    socketDir,
    end: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
