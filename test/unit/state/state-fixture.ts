import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { BootClock } from "../../../src/attachments/ports.ts";
import { bootId } from "./standard-records.ts";

/** A boot's clock that stands where the test puts it. */
export class SetClock implements BootClock {
  readonly bootId = bootId;
  atNs = 1_000_000_000n;

  nowNs(): bigint {
    return this.atNs;
  }

  nowText(): string {
    return "2026-01-02T03:04:05Z";
  }
}

/** A directory that is gone when the test is over. */
export async function temporaryDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "multusd-state-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** What an async iterable gives, all of it. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
