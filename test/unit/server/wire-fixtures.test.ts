import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { parseBody } from "../../../src/server/parse-body.ts";
import { readInvocation } from "../../../src/server/read-invocation.ts";
import { FakeClock } from "./fakes.ts";

const fixture = async (name: string) => await readFile(`test/fixtures/wire/${name}`, "utf8");

describe("the shim's own request (test/fixtures/wire)", () => {
  it("is read with every field, and stdin byte for byte", async () => {
    const headers = JSON.parse(await fixture("request-headers.json"));
    const body = parseBody(await fixture("request-body.json"));
    const bootId = headers["x-multusd-boot"];
    const clock = Object.assign(new FakeClock(), { bootId });

    const read = readInvocation({ body, schemaProblem: undefined, headers, requestId: "r-1" }, clock);

    expect(read).toEqual({
      invocation: {
        command: "ADD",
        requestId: "r-1",
        containerId: "2f1a9c",
        ifName: "eth0",
        netns: "/var/run/netns/cni-8c1f",
        args: [
          ["IgnoreUnknown", "1"],
          ["K8S_POD_NAMESPACE", "default"],
          ["K8S_POD_NAME", "web"],
          ["K8S_POD_UID", "6f1d2b7e-55aa-4a51-9a0b-0d3c8f7e9b21"],
        ],
        path: ["/opt/cni/bin"],
        config: await fixture("configuration.json"),
        generation: { bootId, startNs: "4711000000123" },
        deadlineNs: 4_891_000_000_123n,
      },
      cniVersion: "1.0.0",
      notes: [],
    });
  });
});
