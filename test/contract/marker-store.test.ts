import { access } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { StrictMarkers } from "../../src/deletions/ports.ts";
import { DurableDirectory } from "../../src/state/durable-directory.ts";
import { StrictMarkerDirectory } from "../../src/state/strict-markers.ts";
import { FakeStrictMarkers } from "../support/fake-marker-store.ts";
import { temporaryDirectory } from "../unit/state/state-fixture.ts";

interface Subject {
  readonly markers: StrictMarkers;
  /** As the shim would look. */
  readonly isMarked: (containerId: string) => Promise<boolean>;
}

async function fake(): Promise<Subject> {
  const markers = new FakeStrictMarkers();
  return { markers, isMarked: async (containerId) => markers.marked.has(containerId) };
}

async function files(): Promise<Subject> {
  const path = join(await temporaryDirectory(), "strict");
  const isMarked = (containerId: string) =>
    access(join(path, containerId)).then(
      () => true,
      () => false,
    );
  return { markers: new StrictMarkerDirectory(new DurableDirectory(path)), isMarked };
}

describe.each([
  ["in memory", fake],
  ["in files", files],
] as const)("StrictMarkers %s", (_name, make) => {
  it("marks a sandbox, once or twice, and no other", async () => {
    const { markers, isMarked } = await make();
    await markers.set("c1");
    await markers.set("c1");

    await expect(isMarked("c1")).resolves.toBe(true);
    await expect(isMarked("c2")).resolves.toBe(false);
  });

  it("clears a marker, and one that is not there", async () => {
    const { markers, isMarked } = await make();
    await markers.set("c1");
    await markers.clear("c1");
    await markers.clear("c1");

    await expect(isMarked("c1")).resolves.toBe(false);
  });

  it("marks again after it was cleared", async () => {
    const { markers, isMarked } = await make();
    await markers.set("c1");
    await markers.clear("c1");
    await markers.set("c1");

    await expect(isMarked("c1")).resolves.toBe(true);
  });
});
