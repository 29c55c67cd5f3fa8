import { constantFrom, dictionary, assert as forAll, json, jsonValue, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultErrorPolicy } from "../../../src/attachments/parse-error-policy.ts";
import { ConfigError, formatProblems } from "../../../src/config/config-problem.ts";
import { daemonConfigSchema } from "../../../src/config/daemon-config-schema.ts";
import { parseDaemonConfig } from "../../../src/config/load-daemon-config.ts";

function parse(value: unknown) {
  return parseDaemonConfig(typeof value === "string" ? value : JSON.stringify(value), "daemon-config.json");
}

function problemsOf(value: unknown): readonly string[] {
  try {
    parse(value);
  } catch (error) {
    if (error instanceof ConfigError) return formatProblems(error.problems).split("\n");
    throw error;
  }
  return [];
}

function warningsOf(value: unknown): readonly string[] {
  return parse(value).warnings.map(({ path, message }) => `${path}: ${message}`);
}

describe("a daemon configuration", () => {
  it("that says nothing gives every default", () => {
    expect(parse({})).toEqual({
      rawText: "{}",
      warnings: [],
      socketDir: "/run/multus/",
      cniDir: "/var/lib/cni/multus",
      binDir: "/opt/cni/bin",
      confDir: "/etc/cni/multus/net.d",
      stateDir: "/var/lib/cni/multus/multusd",
      requirePersistentState: false,
      logLevel: "info",
      logToStderr: true,
      logOptions: { maxAgeDays: 5, maxSizeMb: 100, maxBackups: 5, compress: true },
      delErrorPolicy: defaultErrorPolicy,
      networks: {},
      timeouts: {
        addMs: 120_000,
        delMs: 40_000,
        checkMs: 30_000,
        statusMs: 3000,
        gcMs: 120_000,
        pluginMs: 60_000,
        apiServerMs: 5000,
      },
      statusPolicy: "retry",
      limits: {
        concurrentDelegates: "auto",
        queue: 1000,
        reservedForDel: 2,
        deadLetters: 10_000,
        spoolEntries: 10_000,
      },
      collectLeftovers: { previousBoot: "delete", uncertain: "report" },
      kubernetes: "auto",
      criSocket: "auto",
      shutdownGraceMs: 25_000,
      keepConfigOnExit: true,
    });
  });

  it("keeps the exact text for the overlay, numbers and doubled keys included", () => {
    const text = '{ "vlan": 12345678901234567890,\n "cniVersion": "0.3.1", "cniVersion": "1.0.0" }\n';
    expect(parse(text).rawText).toBe(text);
  });

  it("is frozen to its last member", () => {
    const config = parse({ networks: { net: { delErrorPolicy: "strict" } } });
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.timeouts)).toBe(true);
    expect(Object.isFrozen(config.networks["net"]?.delErrorPolicy?.retry)).toBe(true);
    expect(Object.isFrozen(config.warnings)).toBe(true);
  });

  it("gives times in milliseconds and leaves the others at their defaults", () => {
    const config = parse({ timeouts: { add: "90s", plugin: "1m30s" }, shutdownGrace: "500ms" });
    expect(config.timeouts).toMatchObject({ addMs: 90_000, pluginMs: 90_000, delMs: 40_000 });
    expect(config.shutdownGraceMs).toBe(500);
  });

  it("puts the state below the directory for CNI state unless it is told where", () => {
    expect(parse({ cniDir: "/data/cni" }).stateDir).toBe("/data/cni/multusd");
    expect(parse({ cniDir: "/data/cni", stateDir: "/data/state" }).stateDir).toBe("/data/state");
  });

  it("reads policies, in general and for single networks whatever their name", () => {
    const config = parse(
      '{"delErrorPolicy": "strict", "networks": {"a/b": {"delErrorPolicy": {"mode": "lenient"}, "timeouts": {"plugin": "5s"}}, "__proto__": {"delErrorPolicy": "strict"}}}',
    );
    expect(config.delErrorPolicy.mode).toBe("strict");
    expect(Object.keys(config.networks)).toEqual(["a/b", "__proto__"]);
    expect(config.networks["a/b"]).toMatchObject({
      delErrorPolicy: { ...defaultErrorPolicy, mode: "lenient" },
      timeouts: { pluginMs: 5000 },
      pinNamespaces: "devices",
    });
    expect(config.networks["toString"]).toBeUndefined();
  });

  it.each([
    ["127.0.0.1:9095", { host: "127.0.0.1", port: 9095 }],
    [":9095", { port: 9095 }],
    ["[::1]:0", { host: "::1", port: 0 }],
    ["localhost:80", { host: "localhost", port: 80 }],
  ])("listens for metrics on %s", (metricsAddress, expected) => {
    expect(parse({ metricsAddress, metricsPort: 1 }).metricsListen).toEqual(expected);
  });

  it("listens for metrics on upstream's port on all addresses", () => {
    expect(parse({ metricsPort: 9091 }).metricsListen).toEqual({ port: 9091 });
    expect(parse({}).metricsListen).toBeUndefined();
  });

  it("leaves a slot for requests other than DEL where there are few", () => {
    expect(parse({ limits: { concurrentDelegates: 1 } }).limits.reservedForDel).toBe(0);
    expect(parse({ limits: { concurrentDelegates: 2 } }).limits.reservedForDel).toBe(1);
  });
});

describe("what upstream accepts", () => {
  it("is accepted: its stock file", () => {
    const stock = {
      chrootDir: "/hostroot",
      cniVersion: "0.3.1",
      logLevel: "verbose",
      logToStderr: true,
      cniConfigDir: "/host/etc/cni/net.d",
      multusAutoconfigDir: "/host/etc/cni/net.d",
      multusConfigFile: "auto",
      socketDir: "/host/run/multus/",
    };
    expect(parse(stock)).toMatchObject({
      chrootDir: "/hostroot",
      logLevel: "verbose",
      socketDir: "/host/run/multus/",
    });
  });

  it("matches keys in any case, the last one counts, and says so", () => {
    const config = parse({ logLevel: "debug", LogLevel: "error", ConfDir: "/conf" });
    expect(config.logLevel).toBe("error");
    expect(config.confDir).toBe("/conf");
    expect(config.warnings).toEqual([
      { path: "/LogLevel", message: 'read as "logLevel"' },
      { path: "/ConfDir", message: 'read as "confDir"' },
    ]);
  });

  it("takes null as absent and an empty text as unset", () => {
    expect(
      parse({ logLevel: null, timeouts: null, chrootDir: "", socketDir: "", logFile: "" }),
    ).toMatchObject({
      logLevel: "info",
      socketDir: "/run/multus/",
    });
    expect(parse({ chrootDir: "", logFile: "" })).not.toHaveProperty("chrootDir");
  });

  it("takes level names in any case", () => {
    expect(parse({ logLevel: "Verbose" }).logLevel).toBe("verbose");
  });
});

describe("a refused configuration", () => {
  it("names every bad path at once, one line each", () => {
    expect(
      problemsOf({
        socketDir: 5,
        logLevel: "loud",
        connectionLimit: 0,
        metricsPort: 65_536,
        systemNamespaces: ["kube-system", 7, false],
        delegates: [{}, "x"],
        capabilities: { portMappings: "yes" },
        delErrorPolicy: { mode: "strict", retry: { max: "often" } },
        networks: { "a/b": { delErrorPolicy: "lax", timeouts: { plugin: 60 }, concurrency: -1 } },
        timeouts: { add: "2 minutes", del: 40, status: "0s" },
        limits: { queue: -5, concurrentDelegates: 0, reservedForDel: 1.5 },
        kubernetes: { kubeconfig: "relative" },
        manifestDir: "manifests",
        metricsAddress: "9095",
        statusPolicy: "never",
        keepConfigOnExit: "no",
        criSocket: true,
        shutdownGrace: "2d",
        logOptions: { maxSize: 0 },
      }),
    ).toEqual([
      "/socketDir: must be a string",
      "/logLevel: must be one of panic, fatal, error, warn, warning, info, verbose, debug, trace",
      "/connectionLimit: must be at least 1",
      "/metricsPort: must be at most 65535",
      "/systemNamespaces/1: must be a string",
      "/systemNamespaces/2: must be a string",
      "/delegates/1: must be an object",
      "/capabilities/portMappings: must be true or false",
      '/delErrorPolicy/retry/max: must be a duration such as "90s", "10m" or "7d"',
      '/networks/a~1b/timeouts/plugin: must be a duration such as "90s" or "10m"',
      "/networks/a~1b/concurrency: must be at least 1",
      '/networks/a~1b/delErrorPolicy: must be "strict", "lenient" or "deferred"',
      '/timeouts/add: must be a duration such as "90s" or "10m"',
      '/timeouts/del: must be a duration such as "90s" or "10m"',
      "/timeouts/status: must be longer than zero",
      '/limits/concurrentDelegates: must be "auto" or a whole number from 1 to 10000',
      "/limits/queue: must be at least 1",
      "/limits/reservedForDel: must be a whole number",
      '/kubernetes: must be "auto", "off" or {"kubeconfig": absolute path}',
      "/manifestDir: must be an absolute path",
      '/metricsAddress: must be an address such as "127.0.0.1:9095", "[::1]:9095" or ":9095"',
      '/statusPolicy: must be one of "retry", "require", "skip"',
      "/keepConfigOnExit: must be true or false",
      '/criSocket: must be "auto", "off" or an absolute path',
      "/shutdownGrace: must not be longer than 1d",
      "/logOptions/maxSize: must be at least 1",
    ]);
  });

  it("names hundreds of them, too", () => {
    const systemNamespaces = Array.from({ length: 300 }, () => 0);
    expect(problemsOf({ systemNamespaces })).toHaveLength(300);
  });

  it.each([
    ["", "/: is empty"],
    [" \n", "/: is empty"],
    ["[]", "/: must be a JSON object"],
    ["null", "/: must be a JSON object"],
    ['"text"', "/: must be a JSON object"],
    ['{\n  "logLevel": "debug",\n  "x" 1\n}', "/: is no JSON at line 3, column 7: "],
    ['{"a": 1}}', "/: is no JSON at line 1, column 9: "],
    ['{"a": 1', "/: is no JSON at line 1, column 8: "],
    ['{"a": 01}', "/: is no JSON at line 1, column 8: "],
    ["\uFEFF{}", "/: begins with a byte order mark"],
    ["[".repeat(100_000), "/: is no JSON at line 1, column"],
    ["\0".repeat(4096), "/: is no JSON at line 1, column 1: "],
  ])("says where %j stops being JSON", (text, expected) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(expected);
  });

  it("never shows a value", () => {
    const secret = "hunter2";
    const problems = [
      ...problemsOf(`{"token": "${secret}" "x"}`),
      ...problemsOf({
        logLevel: secret,
        delErrorPolicy: secret,
        statusPolicy: secret,
        metricsAddress: secret,
      }),
    ];
    expect(problems).toHaveLength(5);
    expect(problems.join()).not.toContain(secret);
  });

  it.each([
    '{"metricsPort": 0}',
    '{"metricsPort": 9091.5}',
    '{"metricsPort": 1e400}',
    '{"metricsPort": "9091"}',
    '{"connectionLimit": 9007199254740993}',
    '{"connectionLimit": -0}',
    '{"metricsAddress": "example.com:9095"}',
    '{"metricsAddress": "127.0.0.1:65536"}',
    '{"metricsAddress": "::1:80"}',
    '{"nodeReadinessTaint": "a b"}',
    `{"socketDir": "/${"x".repeat(95)}"}`,
    `{"binDir": "/${"x".repeat(4096)}"}`,
    '{"stateDir": "state"}',
    '{"networks": {"net": null}}',
    '{"networks": {"net": {"delErrorPolicy": null}}}',
    '{"networks": []}',
  ])("refuses %s", (text) => {
    expect(problemsOf(text)).toHaveLength(1);
  });

  it("refuses slots for DEL that leave nothing else", () => {
    expect(problemsOf({ limits: { concurrentDelegates: 2, reservedForDel: 2 } })).toEqual([
      "/limits/reservedForDel: must be less than concurrentDelegates: nothing else could run",
    ]);
  });

  it("does not let odd keys reach into paths", () => {
    expect(problemsOf({ networks: { "a/b~c%zz\n": { timeouts: { add: 1 } } } })).toEqual([
      '/networks/a~1b~0c%zz\\u{a}/timeouts/add: must be a duration such as "90s" or "10m"',
    ]);
  });
});

describe("any JSON", () => {
  it("is taken or refused, and nothing else happens", () => {
    const key = constantFrom(...Object.keys(daemonConfigSchema.properties), "__proto__", "toString");
    forAll(
      property(dictionary(key, jsonValue({ maxDepth: 3 })), json(), (keys, text) => {
        problemsOf(JSON.stringify(keys));
        problemsOf(text);
      }),
      { numRuns: 300 },
    );
  });
});

describe("warnings", () => {
  it("name unknown keys with the nearest known one, at every depth", () => {
    expect(
      warningsOf({
        logLevle: "debug",
        somethingElse: 1,
        allowTryDeleteOnErr: true,
        cniConf: "/x",
        timeouts: { adn: "1m" },
        networks: { "a/b": { delErorPolicy: "strict" } },
      }),
    ).toEqual([
      '/logLevle: unknown key; did you mean "logLevel"?',
      "/somethingElse: unknown key",
      '/allowTryDeleteOnErr: unknown key; did you mean "retryDeleteOnError"?',
      '/cniConf: unknown key; did you mean "confDir"?',
      '/timeouts/adn: unknown key; did you mean "add"?',
      '/networks/a~1b/delErorPolicy: unknown key; did you mean "delErrorPolicy"?',
    ]);
  });

  it("name keys that are accepted and change nothing", () => {
    expect(warningsOf({ enablePprof: true })).toEqual([
      "/enablePprof: accepted, but without effect: multusd is no Go program",
    ]);
  });

  it("are bounded", () => {
    const keys = Array.from({ length: 5000 }, (_, index) => [`key${index}`, 1]);
    expect(warningsOf(Object.fromEntries(keys))).toHaveLength(200);
  });
});
