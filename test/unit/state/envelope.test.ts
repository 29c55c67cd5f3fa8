import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { open, seal } from "../../../src/state/envelope.ts";

const line =
  '{"kind":"multusd.strict","version":1,"sha256":"da5ad24b9bcab2e66a6c0da7fd1ac9ac79f7fda7ce95c34e9f8ba5c97f8c4cd3","body":{"containerId":"abc"}}\n';

describe("an envelope", () => {
  it("is one line with the keys in the order that both sides know", () => {
    const text = seal("multusd.strict", { containerId: "abc" }).toString();

    expect(text).toMatch(
      /^\{"kind":"multusd\.strict","version":1,"sha256":"[0-9a-f]{64}","body":\{"containerId":"abc"\}\}\n$/,
    );
  });

  it("opens to what was sealed, whatever that was", () => {
    fc.assert(
      fc.property(fc.object(), (body) => {
        const opened = open("multusd.test", seal("multusd.test", body));
        expect(opened).toMatchObject({ kind: "body", version: 1 });
        if (opened.kind === "body") expect(JSON.stringify(opened.body)).toBe(JSON.stringify(body));
      }),
    );
  });

  it("opens without the line end and in a newer version", () => {
    const sealed = seal("multusd.strict", { containerId: "abc" });
    const newer = Buffer.from(sealed.toString().replace('"version":1', '"version":12'));

    expect(open("multusd.strict", sealed.subarray(0, -1))).toMatchObject({ kind: "body", version: 1 });
    expect(open("multusd.strict", newer)).toMatchObject({ kind: "body", version: 12 });
  });

  it("does not open when it is of another kind", () => {
    expect(open("multusd.ready", seal("multusd.strict", {}))).toMatchObject({ kind: "unreadable" });
  });

  it("does not open when a byte of it was changed, other than its version", () => {
    const sealed = seal("multusd.strict", { containerId: "abc" });
    const version = sealed.indexOf('"version":') + 10;
    for (let at = 0; at < sealed.length - 1; at += 1) {
      if (at === version) continue;
      const changed = Buffer.from(sealed);
      changed.writeUInt8(sealed.readUInt8(at) ^ 1, at);
      expect(open("multusd.strict", changed).kind, `byte ${at}`).toBe("unreadable");
    }
  });

  it("does not open when it was cut off or something was added", () => {
    const sealed = seal("multusd.strict", { containerId: "abc" });
    for (let length = 0; length < sealed.length - 1; length += 1) {
      expect(open("multusd.strict", sealed.subarray(0, length)).kind, `length ${length}`).toBe("unreadable");
    }
    for (const more of [" ", "}", "\n", "\0"]) {
      expect(open("multusd.strict", Buffer.concat([sealed, Buffer.from(more)])).kind).toBe("unreadable");
    }
  });

  it("never throws, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(open("multusd.test", Buffer.from(bytes)).kind).toBe("unreadable");
      }),
    );
    expect(open("multusd.strict", Buffer.from(line.replace("abc", "abd"))).kind).toBe("unreadable");
  });
});
