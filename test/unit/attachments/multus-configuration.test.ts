import { describe, expect, it } from "vitest";
import { readMultusConfiguration } from "../../../src/attachments/multus-configuration.ts";

describe("readMultusConfiguration", () => {
  it("lays the daemon's keys over the request's, whole values at a time", () => {
    const request =
      '{"cniVersion":"0.4.0","confDir":"/request","delegates":[{"type":"a"}],"defaultNetworks":["x"]}';
    const overlay = '{"cniVersion":"1.1.0","confDir":"/daemon","defaultNetworks":[]}';

    const configuration = readMultusConfiguration(request, overlay);

    expect(configuration).toMatchObject({
      callerCniVersion: "0.4.0",
      confDir: "/daemon",
      delegates: ['{"type":"a"}'],
      defaultNetworks: [],
    });
  });

  it("has upstream's defaults, and minds neither the case of keys nor null", () => {
    expect(readMultusConfiguration('{"CLUSTERNETWORK":"x","binDir":null}', "{}")).toMatchObject({
      callerCniVersion: "",
      confDir: "/etc/cni/multus/net.d",
      cniDir: "/var/lib/cni/multus",
      binDir: "/opt/cni/bin",
      clusterNetwork: "x",
      namespaceIsolation: false,
      globalNamespaces: ["default"],
      systemNamespaces: ["kube-system"],
      multusNamespace: "kube-system",
      runtimeConfig: {},
      delErrorPolicy: undefined,
      validAttachments: undefined,
    });
  });

  it("takes runtimeConfig and valid attachments of the request alone, as they were written", () => {
    const request =
      '{"runtimeConfig":{"portMappings":[{"hostPort":9007199254740993}]},"cni.dev/valid-attachments":[{"containerID":"c"}]}';

    const configuration = readMultusConfiguration(request, '{"runtimeConfig":{"x":1}}');

    expect(configuration.runtimeConfig).toEqual({ portMappings: '[{"hostPort":9007199254740993}]' });
    expect(configuration.validAttachments).toBe('[{"containerID":"c"}]');
  });

  it.each(["", "{", "[]", "null", '"text"'])("refuses the request %j as malformed, code 6", (request) => {
    expect(() => readMultusConfiguration(request, "{}")).toThrow(
      expect.objectContaining({ failureClass: "malformed-request", code: 6 }) as Error,
    );
  });

  it.each([
    ['{"confDir":1}', "confDir"],
    ['{"delegates":{}}', "delegates"],
    ['{"defaultNetworks":[1]}', "defaultNetworks[0]"],
    ['{"namespaceIsolation":"yes"}', "namespaceIsolation"],
    ['{"runtimeConfig":[]}', "runtimeConfig"],
  ])("refuses %s and names the key", (request, key) => {
    expect(() => readMultusConfiguration(request, "{}")).toThrow(
      expect.objectContaining({
        failureClass: "invalid-configuration",
        message: expect.stringContaining(`multus configuration: ${key}: must be`) as string,
      }) as Error,
    );
  });
});
