import { describe, expect, it } from "vitest";
import { StopError, StopStack } from "../../../src/foundation/stop-stack.ts";

function part(name: string, log: string[], stop: () => Promise<void> = async () => undefined) {
  return {
    stop: async () => {
      log.push(name);
      await stop();
    },
  };
}

const soon = 1000;

describe("StopStack", () => {
  it("stops what started last first", async () => {
    const log: string[] = [];
    const stack = new StopStack();
    stack.push(part("a", log), { name: "a", timeoutMs: soon });
    stack.push(part("b", log), { name: "b", timeoutMs: soon });

    await expect(stack.stop()).resolves.toEqual([]);
    expect(log).toEqual(["b", "a"]);
  });

  it("stops all parts although some fail, throw or hang, and says which", async () => {
    const log: string[] = [];
    const stack = new StopStack();
    const broken = new Error("broken");
    stack.push(part("first", log), { name: "first", timeoutMs: soon });
    stack.push(
      part("hangs", log, () => new Promise(() => undefined)),
      { name: "hangs", timeoutMs: 5 },
    );
    stack.push(
      part("fails", log, () => Promise.reject(broken)),
      { name: "fails", timeoutMs: soon },
    );
    const throwing = {
      stop(): Promise<void> {
        throw broken;
      },
    };
    stack.push(throwing, { name: "throws", timeoutMs: soon });

    const failures = await stack.stop();

    expect(log).toEqual(["fails", "hangs", "first"]);
    expect(failures.map((failure) => failure.part)).toEqual(["throws", "fails", "hangs"]);
    expect(failures[1]).toBeInstanceOf(StopError);
    expect(failures[1]?.cause).toBe(broken);
  });

  it("stops each part once, however often it is asked", async () => {
    const log: string[] = [];
    const stack = new StopStack();
    stack.push(part("a", log), { name: "a", timeoutMs: soon });

    await Promise.all([stack.stop(), stack.stop()]);
    await stack.stop();

    expect(log).toEqual(["a"]);
  });

  it("stops a part that started while or after the rest was stopped", async () => {
    const log: string[] = [];
    const stack = new StopStack();
    const stopping = stack.stop();
    stack.push(part("late", log), { name: "late", timeoutMs: soon });
    await stopping;
    await stack.stop();

    expect(log).toEqual(["late"]);
  });
});
