import { join, resolve, sep } from "node:path";
import type { UpstreamDelegate, UpstreamFiles, UpstreamScratch } from "../attachments/ports.ts";
import { ShapeError } from "./decode.ts";
import { unlinkFile } from "./file-calls.ts";
import { isAbsent } from "./file-errors.ts";
import { removeLeftoverTemporaries } from "./leftover-temporaries.ts";
import { makeDirectory } from "./make-directory.ts";
import type { Quarantine } from "./quarantine.ts";
import { readBoundedFile } from "./read-bounded-file.ts";
import { replaceFile } from "./replace-file.ts";
import { storageFailure } from "./storage-failure.ts";
import { decodeScratch, encodeScratch } from "./upstream-scratch.ts";

export interface UpstreamFileOptions {
  /** Upstream's `cniDir`. */
  readonly cniDir: string;
  /** Ours, which may lie inside `cniDir` and must never be taken for a scratch file. */
  readonly stateDir: string;
  readonly quarantine: Quarantine;
}

/** Scratch files (`<cniDir>/<containerID>`) and libcni's cache files (`<cniDir>/results/…`). */
export class UpstreamDirectory implements UpstreamFiles {
  readonly #cniDir: string;
  readonly #stateDir: string;
  readonly #quarantine: Quarantine;

  constructor(options: UpstreamFileOptions) {
    this.#cniDir = resolve(options.cniDir);
    this.#stateDir = resolve(options.stateDir);
    this.#quarantine = options.quarantine;
  }

  async readScratch(containerId: string): Promise<UpstreamScratch> {
    const file = this.#scratchFile(containerId);
    if (file === undefined) return { kind: "missing" };
    const content = await readBoundedFile(file);
    if (content.kind === "missing") return content;
    if (content.kind === "unreadable") return await this.#putAside(file, content.reason);
    try {
      return { kind: "delegates", delegates: decodeScratch(content.bytes) };
    } catch (error) {
      if (error instanceof ShapeError) return await this.#putAside(file, error.message);
      throw error;
    }
  }

  /** Whole or not at all, but not forced to disk: it only helps whoever goes back to upstream. */
  async writeScratch(containerId: string, delegates: readonly UpstreamDelegate[]): Promise<void> {
    const file = this.#scratchFile(containerId);
    if (file === undefined) return;
    const data = encodeScratch(delegates);
    try {
      await replaceFile(file, data).catch(async (error: unknown) => {
        if (!isAbsent(error)) throw error;
        await makeDirectory(this.#cniDir);
        await replaceFile(file, data);
      });
    } catch (error) {
      throw storageFailure("write", file, error);
    }
  }

  async removeScratch(containerId: string): Promise<void> {
    const file = this.#scratchFile(containerId);
    if (file === undefined) return;
    try {
      await unlinkFile(file);
    } catch (error) {
      if (!isAbsent(error)) throw storageFailure("remove", file, error);
    }
  }

  async quarantineCache(fileName: string): Promise<void> {
    const results = join(this.#cniDir, "results");
    const file = resolve(results, fileName);
    if (file.startsWith(results + sep)) await this.#quarantine.take(file, "cache", "unreadable result cache");
  }

  /** Clears away scratch files in the making that a dead process left. */
  async removeLeftovers(): Promise<void> {
    await removeLeftoverTemporaries(this.#cniDir);
  }

  async #putAside(file: string, reason: string): Promise<UpstreamScratch> {
    return { kind: "unreadable", reason, quarantined: await this.#quarantine.take(file, "scratch", reason) };
  }

  /** `undefined` for what is no container ID, or is a name that something else has in the same directory. */
  #scratchFile(containerId: string): string | undefined {
    if (!/^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(containerId) || reservedNames.has(containerId)) return undefined;
    const file = join(this.#cniDir, containerId);
    return `${this.#stateDir}${sep}`.startsWith(`${file}${sep}`) ? undefined : file;
  }
}

const reservedNames: ReadonlySet<string> = new Set(["results", "multusd"]);
