import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { UpstreamDelegate, UpstreamFiles } from "../../src/attachments/ports.ts";
import { Quarantine } from "../../src/state/quarantine.ts";
import { UpstreamDirectory } from "../../src/state/upstream-files.ts";
import { FakeUpstreamFiles } from "../support/fake-upstream-store.ts";
import { temporaryDirectory } from "../unit/state/state-fixture.ts";

interface Subject {
  readonly upstream: UpstreamFiles;
  readonly spoil: (containerId: string) => Promise<void>;
}

async function fake(): Promise<Subject> {
  const upstream = new FakeUpstreamFiles();
  return { upstream, spoil: async (containerId) => upstream.makeUnreadable(containerId) };
}

async function files(): Promise<Subject> {
  const cniDir = await temporaryDirectory();
  const stateDir = join(cniDir, "multusd");
  await mkdir(stateDir);
  const quarantine = new Quarantine(join(stateDir, "quarantine"), () => undefined);
  return {
    upstream: new UpstreamDirectory({ cniDir, stateDir, quarantine }),
    spoil: (containerId) => writeFile(join(cniDir, containerId), ""),
  };
}

const delegates: readonly UpstreamDelegate[] = [
  { config: '{"cniVersion":"1.0.0","name":"pod","plugins":[{"type":"bridge"}]}', name: "pod" },
  {
    config: '{"cniVersion":"0.3.1","name":"mac","type":"macvlan","big":12345678901234567890}',
    name: "default/mac",
    interfaceRequest: "net1",
    macRequest: "02:00:00:00:00:01",
    ipRequest: ["10.0.0.2/24"],
    deviceId: "0000:03:00.1",
  },
];

describe.each([
  ["in memory", fake],
  ["in files", files],
] as const)("UpstreamFiles %s", (_name, make) => {
  it("gives back the delegates of a sandbox in their order, configuration byte for byte", async () => {
    const { upstream } = await make();
    await upstream.writeScratch("c1", delegates);

    await expect(upstream.readScratch("c1")).resolves.toEqual({ kind: "delegates", delegates });
  });

  it("says missing for a sandbox without a scratch file and for one whose file was removed", async () => {
    const { upstream } = await make();
    await upstream.writeScratch("c1", delegates);
    await upstream.removeScratch("c1");
    await upstream.removeScratch("c1");

    await expect(upstream.readScratch("c1")).resolves.toEqual({ kind: "missing" });
    await expect(upstream.readScratch("c2")).resolves.toEqual({ kind: "missing" });
  });

  it("says unreadable once, then missing", async () => {
    const { upstream, spoil } = await make();
    await upstream.writeScratch("c1", delegates);
    await spoil("c1");

    await expect(upstream.readScratch("c1")).resolves.toMatchObject({ kind: "unreadable" });
    await expect(upstream.readScratch("c1")).resolves.toEqual({ kind: "missing" });
  });

  it("puts a cache file aside, and takes no offence at one that is not there", async () => {
    const { upstream } = await make();
    await expect(upstream.quarantineCache("net-c1-eth0")).resolves.toBeUndefined();
  });
});
