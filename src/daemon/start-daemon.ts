import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Failure } from "../attachments/failure.ts";
import type { DomainSettings } from "../attachments/settings.ts";
import type { ReadinessGap } from "../attachments/views.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import { watchDaemonConfig } from "../config/watch-daemon-config.ts";
import { StopStack } from "../foundation/stop-stack.ts";
import { startPluginHost } from "../host/plugin-host.ts";
import { createFlightRecorder } from "../observability/create-flight-recorder.ts";
import type { Logger } from "../observability/create-logger.ts";
import { createMetrics, type Metrics } from "../observability/create-metrics.ts";
import { listenMetrics } from "../server/listen-metrics.ts";
import type { ServerParts, UseCases } from "../server/server-parts.ts";
import { openBootClock } from "../state/boot-clock.ts";
import { ReadyStamp } from "../state/ready-stamp.ts";
import { openStateDirectory, type StateDirectory } from "../state/state-directory.ts";
import { DaemonReadiness } from "./daemon-readiness.ts";
import { DaemonSocket } from "./daemon-socket.ts";
import { toDomainSettings } from "./domain-settings.ts";
import { openManifests } from "./open-manifests.ts";
import { SpoolIdentity } from "./spool-identity.ts";
import { startDomain } from "./start-domain.ts";
import { StartError } from "./start-error.ts";
import { takeStateLock } from "./state-lock.ts";
import { StorageWatch } from "./storage-watch.ts";
import { version } from "./version.ts";

export interface StartRequest {
  readonly config: DaemonConfig;
  readonly configFile: string;
  readonly takeover: boolean;
  readonly log: Logger;
  /** Told to stop. */
  readonly stop: AbortSignal;
}

export interface RunningDaemon {
  /** Resolves with the reason when the daemon is to stop: a signal, or a successor. */
  untilToldToStop(): Promise<string>;
  /** Drains and stops every part, last started first. */
  stop(): Promise<{ readonly cut: number }>;
}

/** Of the grace, what is kept for undoing cut requests and for stopping the parts. */
const keptForStoppingMs = 4000;
/** Beyond its predecessor's grace, how long a take-over waits. */
const takeoverMarginMs = 5000;

/**
 * Starts every part, bottom up; the only place that knows them all. Resolves when requests are served.
 * @throws {StartError}; what had started is stopped then
 */
export async function startDaemon(request: StartRequest): Promise<RunningDaemon> {
  const running = new StopStack();
  try {
    return await new DaemonStart(request, running).start();
  } catch (error) {
    await running.stop();
    throw error;
  }
}

class DaemonStart {
  readonly #request: StartRequest;
  readonly #running: StopStack;
  readonly #readiness = new DaemonReadiness();
  readonly #metrics: Metrics = createMetrics({ version });
  readonly #succeeded = new AbortController();
  readonly #useCases = Promise.withResolvers<UseCases>();
  #settings: DomainSettings;
  #socket: DaemonSocket | undefined;
  #hasStarted = false;

  constructor(request: StartRequest, running: StopStack) {
    this.#request = request;
    this.#running = running;
    this.#settings = toDomainSettings(request.config, ownPluginPath());
    // Held requests hear of it; without any, nobody else would.
    this.#useCases.promise.catch(() => undefined);
  }

  async start(): Promise<RunningDaemon> {
    const { config, takeover, stop, log } = this.#request;
    const [clock, directory] = await Promise.all([openBootClock(), openStateOrExplain(config)]);
    for (const problem of directory.warnings) log.warn({ problem }, "state directory warning");
    const storage = new StorageWatch(directory.path);
    this.#running.push({ stop: async () => storage.stop() }, { name: "storage watch", timeoutMs: 100 });
    this.#readiness.add(() => this.#startGap());
    this.#readiness.add(() => storage.gap());
    this.#readiness.add(() => this.#shutdownGap());
    const spool = await SpoolIdentity.of(directory.spool, log);
    const serverParts = this.#serverParts(clock, spool);
    const lockRequest = {
      stateDir: directory.path,
      binary: nativeBinary(),
      takeover,
      waitMs: config.shutdownGraceMs + takeoverMarginMs,
      signal: stop,
      log,
    };
    if (takeover) await this.#open(serverParts);
    const lock = await takeStateLock(lockRequest);
    this.#running.push({ stop: async () => lock.release() }, { name: "lock", timeoutMs: 500 });
    if (!takeover) await this.#open(serverParts);
    await this.#startWork(clock, directory, storage);
    return this.#handle();
  }

  async #startWork(
    clock: Awaited<ReturnType<typeof openBootClock>>,
    directory: StateDirectory,
    storage: StorageWatch,
  ): Promise<void> {
    const { config, log } = this.#request;
    const recorder = createFlightRecorder();
    const [host, manifests] = await Promise.all([
      startPluginHost({
        binary: nativeBinary(),
        runsDirectory: join(directory.path, "runs"),
        bootId: clock.bootId,
        log,
      }),
      openManifests(config, log),
      storage.probe(),
    ]);
    this.#running.push(host, { name: "multus-host", timeoutMs: 2000 });
    this.#running.push(manifests, { name: "manifests", timeoutMs: 1000 });
    this.#readiness.add(() => manifests.gap());
    this.#readiness.add(() => primaryGap(config.readinessIndicatorFile));
    this.#readiness.add(() =>
      host.isRunning ? undefined : { what: "executor", detail: "multus-host is being started again" },
    );
    const domain = await startDomain({
      config,
      settings: () => this.#settings,
      directory,
      host,
      manifests,
      recorder,
      instruments: this.#metrics.instruments,
      clock,
      storage,
      log,
      running: this.#running,
    });
    this.#useCases.resolve({ cni: domain.operations, operator: domain.desk });
    this.#hasStarted = true;
    this.#watchConfig();
    const isReady = () => this.#readiness.missing().length === 0;
    const onTrouble = (err: unknown) => log.warn({ err }, "ready stamp could not be written");
    const stamp = new ReadyStamp({ stateDir: directory.path, clock, isReady, onTrouble });
    this.#running.push(stamp, { name: "ready stamp", timeoutMs: 500 });
    log.info({ missing: this.#readiness.missing() }, "multusd serves");
  }

  #serverParts(clock: ServerParts["clock"], ownSpool: SpoolIdentity): ServerParts {
    const metrics = this.#metrics;
    const { log } = this.#request;
    const renderMetrics = async () => ({
      contentType: metrics.contentType,
      text: await metrics.metricsText(),
    });
    const countRequest: ServerParts["countRequest"] = (count) => metrics.serverRequest(count);
    const noteShim: ServerParts["noteShim"] = ({ command, seconds, spool }) => {
      if (seconds !== undefined) metrics.shimDuration(command, seconds);
      if (spool !== undefined && ownSpool.isForeign(spool)) metrics.foreignSpool();
    };
    const address = this.#request.config.metricsListen;
    if (address !== undefined) {
      const listener = listenMetrics({ address, renderMetrics, countRequest, log });
      this.#running.push(listener, { name: "metrics listener", timeoutMs: 500 });
    }
    const useCases = this.#useCases.promise;
    const readiness = this.#readiness;
    return { useCases, readiness, clock, renderMetrics, countRequest, noteShim, log, version };
  }

  async #open(parts: ServerParts): Promise<void> {
    const { config } = this.#request;
    this.#socket = await DaemonSocket.open(parts, config.socketDir, () => this.#succeeded.abort("succeeded"));
    const stop = async () => {
      this.#useCases.reject(new Failure("not-ready", "multusd could not start"));
      await this.#socket?.close(0);
    };
    this.#running.push({ stop }, { name: "socket", timeoutMs: 2000 });
  }

  /** The socket is open before the daemon may work: what comes is held, and nobody may count on it yet. */
  #startGap() {
    return this.#hasStarted ? undefined : { what: "start", detail: "multusd has not begun to work yet" };
  }

  #shutdownGap() {
    return this.#socket?.isDraining === true
      ? { what: "shutdown", detail: "multusd is stopping; its successor will serve" }
      : undefined;
  }

  #watchConfig(): void {
    const { config, configFile, log } = this.#request;
    const watch = watchDaemonConfig(configFile, {
      loaded: config,
      onChange: (changed) => {
        this.#settings = toDomainSettings(changed, ownPluginPath());
        log.setLevel(changed.logLevel);
        this.#metrics.configReload("applied");
        for (const { path, message } of changed.warnings) {
          log.warn({ path, problem: message }, "configuration warning");
        }
        log.info({ file: configFile }, "configuration reloaded");
      },
      onRefused: (err) => {
        this.#metrics.configReload("refused");
        log.error({ err, file: configFile }, "changed configuration is refused; the old one stays");
      },
    });
    process.on("SIGHUP", () => void watch.check());
    this.#running.push(watch, { name: "configuration watch", timeoutMs: 500 });
  }

  #handle(): RunningDaemon {
    const told = AbortSignal.any([this.#request.stop, this.#succeeded.signal]);
    return {
      untilToldToStop: async () => {
        if (!told.aborted) {
          await new Promise<void>((resolve) =>
            told.addEventListener("abort", () => resolve(), { once: true }),
          );
        }
        return String(told.reason);
      },
      stop: async () => {
        const graceMs = this.#request.config.shutdownGraceMs;
        const cut = (await this.#socket?.close(Math.max(graceMs - keptForStoppingMs, graceMs / 2))) ?? 0;
        for (const err of await this.#running.stop()) this.#request.log.warn({ err }, "a part did not stop");
        return { cut };
      },
    };
  }
}

/** Looked at only when somebody asks; one call into the kernel's cache. */
function primaryGap(file: string | undefined): ReadinessGap | undefined {
  if (file === undefined || existsSync(file)) return undefined;
  return {
    what: "primary",
    detail: `readinessindicatorfile ${file} is not there: the primary network is not ready`,
  };
}

async function openStateOrExplain(config: DaemonConfig): Promise<StateDirectory> {
  try {
    return await openStateDirectory(config);
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause;
    throw new StartError(cause.message, { cause });
  }
}

/** The daemon's own CNI_PATH: more directories to look for plugins in (upstream). */
function ownPluginPath(): readonly string[] {
  return (process.env["CNI_PATH"] ?? "").split(":").filter((directory) => directory !== "");
}

/** `multus-host` lies beside the launcher, one above the bundle. */
function nativeBinary(): string {
  return (
    process.env["MULTUS_HOST_BINARY"] ?? join(dirname(fileURLToPath(import.meta.url)), "..", "multus-host")
  );
}
