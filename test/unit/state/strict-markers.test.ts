import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DurableDirectory } from "../../../src/state/durable-directory.ts";
import { open } from "../../../src/state/envelope.ts";
import { StrictMarkerDirectory } from "../../../src/state/strict-markers.ts";
import { collect, temporaryDirectory } from "./state-fixture.ts";

async function strictMarkers() {
  const path = join(await temporaryDirectory(), "strict");
  return { path, markers: new StrictMarkerDirectory(new DurableDirectory(path)) };
}

describe("StrictMarkerDirectory", () => {
  it("writes a marker that says whose it is", async () => {
    const { path, markers } = await strictMarkers();
    await markers.set("c1");

    const marker = open("multusd.strict", await readFile(join(path, "c1")));
    expect(marker).toEqual({ kind: "body", version: 1, body: { containerId: "c1" } });
  });

  it("takes the shim's stamp away with the marker", async () => {
    const { path, markers } = await strictMarkers();
    await markers.set("c1");
    await writeFile(join(path, "c1@refused"), "x");
    await expect(collect(markers.list())).resolves.toEqual(["c1"]);
    await markers.clear("c1");

    await expect(readdir(path)).resolves.toEqual([]);
  });

  it("writes a marker again that somebody took away", async () => {
    const { path, markers } = await strictMarkers();
    await markers.set("c1");
    await rm(join(path, "c1"));
    await markers.set("c1");

    await expect(readdir(path)).resolves.toEqual(["c1"]);
  });

  it("keeps every marker inside its directory, whatever the container is called", async () => {
    const { path, markers } = await strictMarkers();
    for (const containerId of ["../c1", "x".repeat(5000), ""]) await markers.set(containerId);

    for (const name of await readdir(path)) expect(name).toMatch(/^@[0-9a-f]{64}$/);
    await expect(readdir(path)).resolves.toHaveLength(3);
  });
});
