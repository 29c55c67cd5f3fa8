import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { monotonicNs } from "../../../src/foundation/clock.ts";
import { openBootClock } from "../../../src/state/boot-clock.ts";
import { open } from "../../../src/state/envelope.ts";
import { ReadyStamp } from "../../../src/state/ready-stamp.ts";
import { waitFor } from "../../support/wait-for.ts";
import { bootId } from "./standard-records.ts";
import { SetClock, temporaryDirectory } from "./state-fixture.ts";

describe("ReadyStamp", () => {
  it("says when the daemon was ready last, and is renewed while it is", async () => {
    const stateDir = await temporaryDirectory();
    const clock = new SetClock();
    const read = async () => open("multusd.ready", await readFile(join(stateDir, "ready")));
    const stamp = new ReadyStamp({ stateDir, clock, isReady: () => true, onTrouble: fail, intervalMs: 5 });
    onTestFinished(() => stamp.stop());

    await stamp.renew();
    await expect(read()).resolves.toMatchObject({ body: { bootId, atNs: "1000000000" } });
    clock.atNs = 2_000_000_000n;
    await waitFor("the stamp to be renewed", async () => JSON.stringify(await read()).includes("2000000000"));
    await stamp.stop();
    await expect(readdir(stateDir)).resolves.toEqual(["ready"]);
  });

  it("is left alone while the daemon is not ready", async () => {
    const stateDir = await temporaryDirectory();
    let isReady = true;
    const stamp = new ReadyStamp({
      stateDir,
      clock: new SetClock(),
      isReady: () => isReady,
      onTrouble: fail,
    });
    onTestFinished(() => stamp.stop());
    await stamp.renew();
    const before = await stat(join(stateDir, "ready"));

    isReady = false;
    await stamp.renew();

    expect((await stat(join(stateDir, "ready"))).ino).toBe(before.ino);
  });

  it("tells a trouble that lasts once", async () => {
    const stateDir = join(await temporaryDirectory(), "gone");
    const troubles: unknown[] = [];
    const onTrouble = (error: unknown) => troubles.push(error);
    const stamp = new ReadyStamp({ stateDir, clock: new SetClock(), isReady: () => true, onTrouble });
    onTestFinished(() => stamp.stop());
    await stamp.renew();
    await stamp.renew();

    expect(troubles).toMatchObject([{ code: "ENOENT" }]);
  });
});

describe("openBootClock", () => {
  it("tells this boot and its monotonic clock", async () => {
    const clock = await openBootClock();
    const before = monotonicNs();

    expect(clock.bootId).toBe((await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim());
    expect(clock.nowNs()).toBeGreaterThanOrEqual(before);
    expect(clock.nowText()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it("rejects where the kernel does not say which boot this is", async () => {
    await expect(openBootClock("/proc/sys/kernel/ostype")).rejects.toThrow("holds no boot id");
  });
});

function fail(error: unknown): void {
  expect.unreachable(String(error));
}
