import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/attachments/failure.ts";
import { parseNetworkSelections } from "../../../src/attachments/parse-network-selection.ts";

const annotation = "k8s.v1.cni.cncf.io/networks";

function parse(text: string) {
  return parseNetworkSelections(annotation, text, "own");
}

function complaint(text: string): string {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof Failure && error.failureClass === "invalid-configuration") return error.message;
    throw error;
  }
  throw new Error(`accepted: ${text}`);
}

describe("the short form", () => {
  it("has namespace, name and interface, each network once more if it comes twice", () => {
    expect(parse("alpha, other/beta@net7 ,alpha")).toEqual([
      { namespace: "own", name: "alpha" },
      { namespace: "other", name: "beta", interface: "net7" },
      { namespace: "own", name: "alpha" },
    ]);
  });

  it.each(["", "  \n"])("of nothing is no network", (text) => {
    expect(parse(text)).toEqual([]);
  });

  it.each([
    ["alpha,,beta", "networks[1]"],
    ["a/b/c", "networks[0]"],
    ["a@b@c", "networks[0]"],
    ["alpha,UPPER", "networks[1]"],
    ["Ns/alpha", "networks[0]"],
    ["alpha@name-that-is-too-long", "networks[0].interface"],
    ["alpha@with/slash", "networks[0]"],
    ["alpha@", "networks[0].interface"],
    ["-alpha", "networks[0]"],
  ])("refuses %j and names the element", (text, place) => {
    expect(complaint(text)).toContain(`annotation ${annotation}: ${place}`);
  });
});

describe("the JSON form", () => {
  it("keeps what goes to plugins as it was written", () => {
    const [selection] = parse(`[{
      "name": "alpha", "namespace": "other", "interface": "lan0",
      "ips": ["10.0.0.5/24", "fd00::5"], "mac": "02-00-00-00-00-01", "infiniband-guid": "00:11:22:33:44:55:66:77",
      "portMappings": [{"hostPort": 9007199254740993}], "bandwidth": {"ingressRate":1.0},
      "deviceID": "0000:00:00.1", "cni-args": {"z":1, "a":9007199254740993}, "default-route": ["10.0.0.1"]
    }]`);

    expect(selection).toEqual({
      namespace: "other",
      name: "alpha",
      interface: "lan0",
      ips: ["10.0.0.5/24", "fd00::5"],
      mac: "02-00-00-00-00-01",
      infinibandGuid: "00:11:22:33:44:55:66:77",
      portMappings: '[{"hostPort": 9007199254740993}]',
      bandwidth: '{"ingressRate":1.0}',
      deviceId: "0000:00:00.1",
      cniArgs: '{"z":1, "a":9007199254740993}',
      defaultRoute: ["10.0.0.1"],
    });
  });

  it("minds neither the case of keys nor null, empty text is absent, and interfaceRequest counts where interface does not", () => {
    expect(
      parse('[{"NAME":"alpha","Mac":null,"namespace":"","interface":"","interfaceRequest":"lan0","x":1}]'),
    ).toEqual([{ namespace: "own", name: "alpha", interface: "lan0" }]);
  });

  it.each([
    ['{"name":"a"}', `annotation ${annotation}: must be a JSON array`],
    ["[", `annotation ${annotation}: `],
    ['[{"name":"a"},', `annotation ${annotation}: `],
    ["[null]", "networks[0]: must be an object"],
    ['["a"]', "networks[0]: must be an object"],
    ['[{"name":"a"},{}]', "networks[1].name: is missing"],
    ['[{"name":""}]', "networks[0].name: is missing"],
    ['[{"name":1}]', "networks[0].name: must be a string"],
    ['[{"name":"a","interface":"a/b"}]', "networks[0].interface"],
    ['[{"name":"a","ips":"10.0.0.1"}]', "networks[0].ips: must be an array"],
    ['[{"name":"a","ips":["10.0.0.1","10.0.0.300"]}]', "networks[0].ips[1]"],
    ['[{"name":"a","ips":["10.0.0.1/33"]}]', "networks[0].ips[0]"],
    ['[{"name":"a","ips":[1]}]', "networks[0].ips[0]"],
    ['[{"name":"a","mac":"02:00:00:00:00"}]', "networks[0].mac"],
    ['[{"name":"a","mac":"02:00:00-00:00:01"}]', "networks[0].mac"],
    ['[{"name":"a","infiniband-guid":"x"}]', "networks[0].infiniband-guid"],
    ['[{"name":"a","portMappings":{}}]', "networks[0].portMappings: must be an array"],
    ['[{"name":"a","bandwidth":[]}]', "networks[0].bandwidth: must be an object"],
    ['[{"name":"a","cni-args":"x"}]', "networks[0].cni-args: must be an object"],
    ['[{"name":"a","default-route":["10.0.0.0/8"]}]', "networks[0].default-route[0]"],
    ['[{"name":"a","deviceID":7}]', "networks[0].deviceID: must be a string"],
  ])("refuses %s and names element and key", (text, place) => {
    expect(complaint(text)).toContain(place);
  });

  it.each(["02:00:00:00:00:01", "0200.0000.0001", "0200.0000.0000.0001", Array(20).fill("aa").join(":")])(
    "takes hardware address %s",
    (mac) => {
      expect(parse(`[{"name":"a","mac":"${mac}"}]`)[0]?.mac).toBe(mac);
    },
  );
});
