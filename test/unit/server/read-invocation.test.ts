import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/attachments/failure.ts";
import { type ReadInvocation, readInvocation } from "../../../src/server/read-invocation.ts";
import { base64, bootId, cniBody, configuration, FakeClock } from "./fakes.ts";

function read(body: unknown, headers: Record<string, string> = {}): ReadInvocation {
  return readInvocation({ body, schemaProblem: undefined, headers, requestId: "r-1" }, new FakeClock());
}

function refusal(body: unknown): Failure {
  try {
    read(body);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("it was taken");
}

const add = { CNI_COMMAND: "ADD" };
const del = { CNI_COMMAND: "DEL" };

describe("reading an ADD", () => {
  it("gives every field, and the configuration byte for byte", () => {
    const odd = '{ "cniVersion":"0.3.1","name" : "n","big":12345678901234567890,"b":1.0 }';

    const { invocation, cniVersion, notes } = read(cniBody(add, odd));

    expect(invocation).toEqual({
      command: "ADD",
      requestId: "r-1",
      containerId: "c1",
      ifName: "eth0",
      netns: "/run/netns/x",
      args: [
        ["K8S_POD_NAMESPACE", "default"],
        ["K8S_POD_NAME", "web-0"],
      ],
      path: ["/opt/cni/bin"],
      config: odd,
      generation: { bootId, startNs: "5000000000000" },
    });
    expect(cniVersion).toBe("0.3.1");
    expect(notes).toEqual([]);
  });

  it("takes eth0 where CNI_IFNAME is missing, as upstream does", () => {
    expect(read(cniBody({ ...add, CNI_IFNAME: undefined })).invocation.ifName).toBe("eth0");
  });

  it("takes an environment without CNI_ARGS and CNI_PATH", () => {
    const { invocation } = read(cniBody({ ...add, CNI_ARGS: "", CNI_PATH: "" }));

    expect(invocation).toMatchObject({ args: [], path: [] });
  });

  it.each([
    ["an unknown command", { CNI_COMMAND: "PLUG" }, 4],
    ["no command", {}, 4],
    ["a command in small letters", { CNI_COMMAND: "add" }, 4],
    ["VERSION, which the shim answers", { CNI_COMMAND: "VERSION" }, 4],
    ["no container ID", { ...add, CNI_CONTAINERID: "" }, 4],
    ["a container ID that leaves the directory", { ...add, CNI_CONTAINERID: "../etc" }, 4],
    ["a container ID with a newline at its end", { ...add, CNI_CONTAINERID: "c1\n" }, 4],
    ["a container ID too long for a file name", { ...add, CNI_CONTAINERID: "c".repeat(201) }, 4],
    ["no namespace", { ...add, CNI_NETNS: "" }, 4],
    ["an interface name of 16 bytes", { ...add, CNI_IFNAME: "ä".repeat(8) }, 4],
    ["an interface name with a slash", { ...add, CNI_IFNAME: "a/b" }, 4],
    ["an interface name with U+0085", { ...add, CNI_IFNAME: "a\u0085" }, 4],
    ["an interface name ..", { ...add, CNI_IFNAME: ".." }, 4],
    ["a NUL in a variable", { ...add, CNI_NETNS: "/run/\0x" }, 4],
    ["CNI_ARGS with a bare word", { ...add, CNI_ARGS: "IgnoreUnknown" }, 4],
    ["CNI_ARGS with two signs in one part", { ...add, CNI_ARGS: "A=b=c" }, 4],
    ["CNI_ARGS without a key", { ...add, CNI_ARGS: "=b" }, 4],
  ])("refuses %s", (_what, env, code) => {
    expect(refusal(cniBody(env))).toMatchObject({ failureClass: "malformed-request", code });
  });

  it.each([
    ["text that is no JSON", "{", 6],
    ["nothing", "", 6],
    ["an array", "[]", 6],
    ["null", "null", 6],
    ["a byte order mark", `\ufeff${configuration}`, 6],
    ["text after the object", `${configuration} x`, 6],
    ["a name that is no text", '{"cniVersion":"1.0.0","name":1}', 6],
    ["no name", '{"cniVersion":"1.0.0"}', 7],
    ["a name with a slash", '{"cniVersion":"1.0.0","name":"a/b"}', 7],
    ["an unknown version", '{"cniVersion":"2.0.0","name":"n"}', 1],
    ["a version that is none", '{"cniVersion":"banana","name":"n"}', 1],
  ])("refuses a configuration that is %s", (_what, config, code) => {
    expect(refusal(cniBody(add, config))).toMatchObject({ failureClass: "malformed-request", code });
  });

  it.each(["!!!", "e30", "e30=\n", "e3-_", "e30==", "//8="])(
    "refuses %j, no base64 of UTF-8 text",
    (config) => {
      expect(refusal({ ...cniBody(add), config })).toMatchObject({
        failureClass: "malformed-request",
        code: 6,
      });
    },
  );

  it("never quotes a configuration in its refusal", () => {
    const failure = refusal(cniBody(add, '{"password":"hunter2" oops}'));

    expect(`${failure.message} ${failure.details} ${String(failure.cause)}`).not.toContain("hunter2");
    expect(failure.message).toContain("line 1, column 23");
  });

  it("takes a configuration without cniVersion as 0.1.0 (SPEC.md)", () => {
    expect(read(cniBody(add, '{"name":"n"}')).cniVersion).toBe("0.1.0");
  });

  it("refuses CHECK below 0.4.0 and STATUS below 1.1.0 as the skeleton does", () => {
    expect(refusal(cniBody({ CNI_COMMAND: "CHECK" }, '{"cniVersion":"0.3.1","name":"n"}')).code).toBe(1);
    expect(refusal(cniBody({ CNI_COMMAND: "STATUS" })).code).toBe(1);
  });

  it("knows no inherited variable", () => {
    expect(refusal({ env: { CNI_COMMAND: "ADD", __proto__: {} }, config: base64(configuration) }).code).toBe(
      4,
    );
  });
});

describe("reading a STATUS or GC", () => {
  it("takes no container from its environment", () => {
    const body = cniBody({ CNI_COMMAND: "GC", CNI_CONTAINERID: "../x" }, '{"cniVersion":"1.1.0","name":"n"}');

    expect(read(body).invocation).toMatchObject({
      command: "GC",
      containerId: "",
      ifName: "",
      netns: "",
      args: [],
    });
  });
});

describe("reading a DEL", () => {
  it("is the same as an ADD where nothing is odd", () => {
    const { invocation, notes } = read(cniBody(del));

    expect(invocation).toMatchObject({ command: "DEL", containerId: "c1", config: configuration });
    expect(notes).toEqual([]);
  });

  it.each([
    ["no JSON", base64("{")],
    ["no base64", "!!!"],
    ["an array", base64("[]")],
    ["missing", undefined],
    ["a number", 7],
    ["not UTF-8", "//8="],
  ])("takes {} for a configuration that is %s, and says so", (_what, config) => {
    const { invocation, notes } = read({ ...cniBody(del), config });

    expect(invocation.config).toBe("{}");
    expect(notes).toHaveLength(1);
  });

  it("keeps a configuration of an unknown version or without a name: the record tells what to delete", () => {
    const config = '{"cniVersion":"9.9.9"}';

    expect(read(cniBody(del, config))).toMatchObject({ invocation: { config }, cniVersion: "1.1.0" });
  });

  it.each([undefined, "", "a/b", "..", "much-too-long-name", 7, "e\0"])(
    "takes eth0 for CNI_IFNAME %j",
    (name) => {
      expect(read(cniBody({ ...del, CNI_IFNAME: name })).invocation.ifName).toBe("eth0");
    },
  );

  it("keeps the pairs of CNI_ARGS that can be read", () => {
    const { invocation, notes } = read(cniBody({ ...del, CNI_ARGS: "A=b;junk;=c;D=e=f;" }));

    expect(invocation.args).toEqual([
      ["A", "b"],
      ["D", "e=f"],
    ]);
    expect(notes).toHaveLength(1);
  });

  it("takes an empty CNI_NETNS, which runtimes send when it has gone", () => {
    expect(read(cniBody({ ...del, CNI_NETNS: "" })).invocation.netns).toBe("");
  });

  it("takes other variables that are no text as empty", () => {
    const { invocation } = read(cniBody({ ...del, CNI_NETNS: null, CNI_PATH: {}, CNI_ARGS: [] }));

    expect(invocation).toMatchObject({ netns: "", path: [], args: [] });
  });

  it.each(["", "../etc", "a/b", ".hidden", "a b", 7, null, undefined])(
    "refuses the container ID %j",
    (id) => {
      expect(refusal(cniBody({ ...del, CNI_CONTAINERID: id }))).toMatchObject({ code: 4 });
    },
  );
});

describe("reading the shim's time", () => {
  const headers = {
    "x-multusd-boot": bootId,
    "x-multusd-start": "4999000000000",
    "x-multusd-deadline": "5050000000000",
  };

  it("takes start and deadline of this boot", () => {
    const { invocation } = read(cniBody(add), headers);

    expect(invocation).toMatchObject({
      generation: { bootId, startNs: "4999000000000" },
      deadlineNs: 5_050_000_000_000n,
    });
  });

  it("ignores both where the boot is another one or is not given", () => {
    for (const boot of ["11111111-7a2c-4c4f-8d5f-2d6c1f7e9a10", ""]) {
      const { invocation } = read(cniBody(add), { ...headers, "x-multusd-boot": boot });

      expect(invocation.generation).toEqual({ bootId, startNs: "5000000000000" });
      expect(invocation.deadlineNs).toBeUndefined();
    }
  });

  it.each(["", "-1", "1e9", "0x10", "12, 13", " 7", "9".repeat(400), "٣"])("ignores %j", (value) => {
    const { invocation } = read(cniBody(add), {
      ...headers,
      "x-multusd-start": value,
      "x-multusd-deadline": value,
    });

    expect(invocation.generation.startNs).toBe("5000000000000");
    expect(invocation.deadlineNs).toBeUndefined();
  });

  it("does not believe a start that lies ahead: no later ADD could be newer", () => {
    const { invocation } = read(cniBody(add), { ...headers, "x-multusd-start": "9000000000000" });

    expect(invocation.generation.startNs).toBe("5000000000000");
  });
});
