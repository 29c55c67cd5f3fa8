import { basename, join } from "node:path";
import { CountedSandboxStore } from "../attachments/counted-sandbox-store.ts";
import type { Instruments, Log } from "../attachments/instruments.ts";
import type { BootClock, SandboxStore, UpstreamFiles } from "../attachments/ports.ts";
import { createResultCache, type ResultCache } from "../cni/index.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { DeletionStore, SpoolSource, StrictMarkers } from "../deletions/ports.ts";
import { FileDeletionStore } from "../state/deletion-store.ts";
import { DurableDirectory } from "../state/durable-directory.ts";
import { makeDirectory } from "../state/make-directory.ts";
import { Quarantine } from "../state/quarantine.ts";
import { ReserveFile } from "../state/reserve-file.ts";
import { FileSandboxStore } from "../state/sandbox-store.ts";
import { SpoolDirectory } from "../state/spool-directory.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import { StrictMarkerDirectory } from "../state/strict-markers.ts";
import { UpstreamDirectory } from "../state/upstream-files.ts";

/** Everything durable, for the one daemon that holds the lock. */
export interface OpenState {
  readonly store: SandboxStore;
  readonly deletionStore: DeletionStore;
  readonly spool: SpoolSource;
  readonly strictMarkers: StrictMarkers;
  readonly upstream: UpstreamFiles;
  readonly cache: ResultCache;
  stop(): Promise<void>;
}

export interface StateParts {
  readonly config: DaemonConfig;
  readonly directory: StateDirectory;
  readonly clock: BootClock;
  readonly instruments: Instruments;
  readonly log: Log;
}

export async function openState(parts: StateParts): Promise<OpenState> {
  const { config, directory, clock, instruments, log } = parts;
  const quarantine = new Quarantine(directory.quarantine, ({ kind, ...found }) => {
    instruments.stateCorrupt(kind);
    log.warn({ kind, ...found }, "unreadable file of the state directory was put into quarantine");
  });
  const reserve = new ReserveFile({
    stateDir: directory.path,
    onChange: (state, err) => log.info({ state, err }, "reserve for a full disk"),
  });
  reserve.start();
  const open = (path: string) => new DurableDirectory(path, reserve);
  const [sandboxes, deletions, spool, strict] = [
    open(directory.sandboxes),
    open(directory.deletions),
    open(directory.spool),
    open(directory.strict),
  ];
  const resultsPath = join(config.cniDir, "results");
  await makeDirectory(resultsPath);
  const results = open(resultsPath);
  const upstream = new UpstreamDirectory({ cniDir: config.cniDir, stateDir: directory.path, quarantine });
  await upstream.removeLeftovers();
  const held = [sandboxes, deletions, spool, strict, results];
  return {
    store: new CountedSandboxStore(new FileSandboxStore(sandboxes, quarantine), instruments),
    deletionStore: new FileDeletionStore(deletions, quarantine),
    spool: new SpoolDirectory({
      directory: spool,
      quarantine,
      bootId: clock.bootId,
      onTrouble: (err) => log.warn({ err }, "spool could not be read; it is looked at again"),
    }),
    strictMarkers: new StrictMarkerDirectory(strict),
    upstream,
    cache: createResultCache(config.cniDir, async (file, text) => {
      await results.write(basename(file), Buffer.from(text));
    }),
    stop: async () => {
      await reserve.stop();
      await quarantine.waitIdle();
      await Promise.all(held.map((directory) => directory.close()));
    },
  };
}
