import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  encodeFrame,
  FrameDecoder,
  FrameTooLongError,
  maxBodyBytes,
  maxHeadBytes,
} from "../../../src/host/frame.ts";

describe("frames", () => {
  it("come out as they went in, however the stream is cut", () => {
    const messages = fc.array(fc.tuple(fc.jsonValue(), fc.uint8Array({ maxLength: 64 })), { maxLength: 8 });
    fc.assert(
      fc.property(messages, fc.integer({ min: 1, max: 40 }), (sent, cut) => {
        const stream = Buffer.concat(
          sent.flatMap(([value, body]) => encodeFrame({ value }, Buffer.from(body))),
        );
        const decoder = new FrameDecoder();
        const received = [];
        for (let at = 0; at < stream.length; at += cut) {
          received.push(...decoder.push(stream.subarray(at, at + cut)));
        }
        expect(received.map(({ head }) => head.toString())).toEqual(
          sent.map(([value]) => JSON.stringify({ value })),
        );
        expect(received.map(({ body }) => [...body])).toEqual(sent.map(([, body]) => [...body]));
      }),
    );
  });

  it("over the bounds are not sent", () => {
    expect(() => encodeFrame({ a: "x".repeat(maxHeadBytes) }, Buffer.alloc(0))).toThrow(FrameTooLongError);
    expect(() => encodeFrame({}, Buffer.alloc(maxBodyBytes + 1))).toThrow(FrameTooLongError);
  });

  it("over the bounds are refused as soon as the length is read", () => {
    const lengths = Buffer.alloc(8);
    lengths.writeUInt32BE(2, 0);
    lengths.writeUInt32BE(maxBodyBytes + 1, 4);
    expect(() => new FrameDecoder().push(lengths)).toThrow(FrameTooLongError);
  });
});
