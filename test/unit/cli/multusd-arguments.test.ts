import { describe, expect, it } from "vitest";
import { parseMultusdArguments } from "../../../src/cli/multusd-arguments.ts";

const standard = "/etc/cni/net.d/multus.d/daemon-config.json";

describe("the daemon's arguments", () => {
  it.each([
    [[], { kind: "run", configFile: standard, takeover: false }],
    [["--config", "/x"], { kind: "run", configFile: "/x", takeover: false }],
    [["--config=/x", "--takeover"], { kind: "run", configFile: "/x", takeover: true }],
    [["--check-config"], { kind: "check-config", configFile: standard }],
    [["--check-config", "--config", "/x"], { kind: "check-config", configFile: "/x" }],
    [["--version"], { kind: "version" }],
    [["--help", "--version"], { kind: "help" }],
    [["-h"], { kind: "help" }],
  ])("%j", (argv, request) => {
    expect(parseMultusdArguments(argv)).toEqual(request);
  });

  it("may be spelled with one dash, as upstream's manifests do", () => {
    expect(parseMultusdArguments(["-config=/x"])).toMatchObject({ configFile: "/x" });
    expect(parseMultusdArguments(["-config", "/x"])).toMatchObject({ configFile: "/x" });
    expect(parseMultusdArguments(["-version"])).toEqual({ kind: "version" });
  });

  it.each([[["--nope"]], [["--config"]], [["--config="]], [["extra"]], [["--takeover=yes"]]])(
    "refuses %j and says why",
    (argv) => {
      expect(parseMultusdArguments(argv)).toMatchObject({
        kind: "usage",
        message: expect.stringMatching(/\w/),
      });
    },
  );
});
