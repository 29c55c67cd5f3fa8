import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { connectDaemon } from "../../../src/cli/daemon-client.ts";
import { runMultusctl } from "../../../src/cli/multusctl.ts";
import { renderHelpPage } from "../../../src/cli/render-help-page.ts";
import { closeServer } from "../../../src/server/close-server.ts";
import { createServer } from "../../../src/server/create-server.ts";
import { listenOnSocket } from "../../../src/server/listen-socket.ts";
import { aDeletion, aLeak, anAttachment, FakeParts } from "../server/fakes.ts";

interface Run {
  readonly status: number;
  readonly out: string;
  readonly error: string;
}

async function multusctl(...argv: string[]): Promise<Run> {
  let [out, error] = ["", ""];
  const io = {
    writeOut: (text: string) => {
      out += text;
    },
    writeError: (text: string) => {
      error += text;
    },
    env: {},
    version: "1.2.3",
  };
  return { status: await runMultusctl(argv, io), out, error };
}

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "mt-ctl-"));
  onTestFinished(async () => await rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A real server behind a real socket. */
async function withDaemon() {
  const parts = new FakeParts();
  const server = createServer(parts);
  const socket = await listenOnSocket(server.app, await temporaryDirectory());
  onTestFinished(async () => void (await closeServer(server, socket, { graceMs: 0 })));
  const run = async (...argv: string[]) => await multusctl("--socket", socket.path, ...argv);
  return { parts, run, path: socket.path };
}

describe("multusctl status", () => {
  it("is 0 and says what there is where all is well", async () => {
    const { run } = await withDaemon();

    const { status, out } = await run("status");

    expect(status).toBe(0);
    expect(out).toMatch(/daemon:\s+healthy, version 1\.2\.3/);
    expect(out).toMatch(/attached:\s+1 networks of 1 sandboxes/);
    expect(out).toMatch(/deletions:\s+1 pending, 0 dead/);
  });

  it("is 1 and says what is missing where ADD cannot be served", async () => {
    const { run, parts } = await withDaemon();
    parts.gaps.push({ what: "manifests", detail: "not read yet" });

    const { status, out } = await run("status");

    expect(status).toBe(1);
    expect(out).toContain("manifests: not read yet");
  });

  it("is 1 where a deletion is dead", async () => {
    const { run, parts } = await withDaemon();
    parts.operator.deletions = [{ ...aDeletion, state: "dead", nextAttempt: null }];

    const { status, out } = await run("status", "-o", "json");

    expect(status).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ ready: true, deletions: { pending: 0, dead: 1 } });
  });
});

describe("multusctl attachments", () => {
  it("shows one a line", async () => {
    const { run } = await withDaemon();

    const { status, out } = await run("attachments");

    const [head, line, ...rest] = out.trimEnd().split("\n");
    expect(status).toBe(0);
    expect(head).toMatch(/^POD +NETWORK +INTERFACE/);
    expect(line).toMatch(/^default\/web-0 +default\/storage +net1 +192\.0\.2\.7\/24 +added/);
    expect(rest).toEqual([]);
  });

  it("prints the API's own answer as JSON and YAML", async () => {
    const { run } = await withDaemon();

    expect(JSON.parse((await run("attachments", "-o", "json")).out)).toEqual({ items: [anAttachment] });
    expect(parse((await run("attachments", "-o", "yaml")).out)).toEqual({ items: [anAttachment] });
  });

  it("filters", async () => {
    const { run, parts } = await withDaemon();

    await run("attachments", "--pod", "default/web-0", "--network=a/b", "--sandbox", "c1");

    const pod = { namespace: "default", name: "web-0" };
    expect(parts.operator.filters).toEqual([{ pod, network: "a/b", sandbox: "c1" }]);
  });
});

describe("multusctl deletions", () => {
  it("lists them, and is 0 though some are owed", async () => {
    const { run } = await withDaemon();

    const { status, out } = await run("deletions", "list");

    expect(status).toBe(0);
    expect(out).toContain("macvlan: switch not reachable (code 42)");
  });

  it("shows one by the beginning of its ID", async () => {
    const { run } = await withDaemon();

    const { status, out } = await run("deletions", "show", "7c4a");

    expect(status).toBe(0);
    expect(out).toContain(aDeletion.id);
    expect(out).toMatch(/policy:\s+deferred \(from definition\)/);
  });

  it("refuses a beginning that two have, and an ID that none has", async () => {
    const { run, parts } = await withDaemon();
    parts.operator.deletions = [aDeletion, { ...aDeletion, id: "7c4affff" }];

    const [two, none] = [await run("deletions", "show", "7c4a"), await run("deletions", "retry", "zz")];

    expect([two.status, none.status]).toEqual([1, 1]);
    expect(two.error).toContain("2 deletions");
    expect(none.error).toContain('"zz"');
  });

  it("is 1 after a retry that did not settle it", async () => {
    const { run } = await withDaemon();

    const { status, out } = await run("deletions", "retry", aDeletion.id);

    expect(status).toBe(1);
    expect(out).toContain("failed again");
  });

  it("abandons with a reason, and only with one", async () => {
    const { run, parts } = await withDaemon();

    expect((await run("deletions", "abandon", "7c4a")).status).toBe(2);
    expect((await run("deletions", "abandon", "7c4a", "--reason", " ")).status).toBe(2);
    expect((await run("deletions", "abandon", "7c4a", "--reason", "gone")).status).toBe(0);
    expect(parts.operator.abandoned).toEqual([{ id: aDeletion.id, reason: "gone" }]);
  });
});

describe("multusctl deletions of many", () => {
  const [other, foreign] = [
    { ...aDeletion, id: "other" },
    { ...aDeletion, id: "foreign", network: "default/backup" },
  ];

  it("abandons all of a network, and nothing of another one", async () => {
    const { run, parts } = await withDaemon();
    parts.operator.deletions = [aDeletion, other, foreign];

    const { status, out } = await run(
      ...["deletions", "abandon", "--network", "default/storage", "--reason", "switch is gone"],
    );

    expect(status).toBe(0);
    expect(parts.operator.abandoned).toEqual(
      [aDeletion, other].map(({ id }) => ({ id, reason: "switch is gone" })),
    );
    expect(out.trimEnd().split("\n")).toHaveLength(3);
  });

  it("retries all that is owed, and is 1 where some is left", async () => {
    const { run, parts } = await withDaemon();
    parts.operator.deletions = [aDeletion, foreign];

    const { status, out } = await run("deletions", "retry", "--all", "-o", "json");

    expect(status).toBe(1);
    expect((JSON.parse(out) as { items: unknown[] }).items).toMatchObject([
      { outcome: "failed", deletion: { id: aDeletion.id } },
      { outcome: "failed", deletion: { id: "foreign" } },
    ]);
  });

  it("says what the daemon refuses for one, and goes on with the others", async () => {
    const { run, parts } = await withDaemon();
    parts.operator.deletions = [aDeletion, other];
    parts.operator.settledMeanwhile = aDeletion.id;

    const { status, out } = await run("deletions", "abandon", "--all", "--reason", "x");

    expect(status).toBe(1);
    expect(out).toMatch(/there is no deletion .*settled/);
    expect(parts.operator.abandoned.map(({ id }) => id)).toEqual(["other"]);
  });

  it("is 1 where the network owes nothing, and 2 where it is not said which", async () => {
    const { run, parts } = await withDaemon();

    expect(await run("deletions", "retry", "--network", "a/b")).toMatchObject({ status: 1 });
    for (const words of [[], ["7c4a", "--all"], ["--all", "--network", "a/b"]]) {
      expect(await run("deletions", "abandon", ...words, "--reason", "x")).toMatchObject({ status: 2 });
    }
    expect(await run("deletions", "abandon", "--all")).toMatchObject({ status: 2 });
    expect(parts.operator.abandoned).toEqual([]);
  });

  it("shows every try that is remembered", async () => {
    const { run, parts } = await withDaemon();
    const history = ["2026-08-20T11:57:00Z", "2026-08-20T11:58:00Z"].map((at) => ({
      at,
      outcome: "failed" as const,
      durationMs: 12,
      error: { plugin: "macvlan", code: 42, msg: "switch not reachable" },
    }));
    parts.operator.deletions = [{ ...aDeletion, history }];

    const { out } = await run("deletions", "show", "7c4a");

    expect(out).toContain("2 of 3");
    expect(out.match(/macvlan: switch not reachable/g)).toHaveLength(3);
    expect(out).toMatch(/what to do: +it is tried again by itself/);
  });
});

describe("multusctl leaks", () => {
  it("is 0 where there is none, and 1 with a line each where there are", async () => {
    const { run, parts } = await withDaemon();
    expect(await run("leaks")).toMatchObject({
      status: 0,
      out: expect.stringContaining("a live sandbox") as string,
    });
    parts.operator.leaks = [aLeak];

    const { status, out } = await run("leaks");

    expect(status).toBe(1);
    expect(out).toMatch(/^c9 +default\/web-9 +primary-net,default\/storage +delete/m);
  });
});

describe("multusctl explain", () => {
  it("tells what is known of a pod", async () => {
    const { run } = await withDaemon();

    const { status, out } = await run("explain", "default/web-0");

    expect(status).toBe(0);
    expect(out).toContain("pod default/web-0 (UID u1)");
    expect(out).toContain("- wait for the next attempt");
  });
});

describe("a plugin's words", () => {
  it("do not steer the terminal", async () => {
    const { run, parts } = await withDaemon();
    const lastError = { plugin: "x", code: 1, msg: "\u001b[2J\u009b31mred\nsecond" };
    parts.operator.deletions = [{ ...aDeletion, lastError }];

    const { out } = await run("deletions", "list");

    expect(out).not.toContain("\u001b");
    expect(out).not.toContain("\u009b");
    expect(out.trimEnd().split("\n")).toHaveLength(2);
  });
});

describe("wrong usage", () => {
  it.each([
    [[], "there are: status, attachments, deletions list"],
    [["statis"], 'did you mean "status"'],
    [["deletions"], "deletions list, deletions show"],
    [["deletions", "lst"], 'did you mean "deletions list"'],
    [["leeks"], 'did you mean "leaks"'],
    [["status", "now"], "usage: multusctl status"],
    [["explain"], "usage: multusctl explain NAMESPACE/POD"],
    [["explain", "web-0"], "NAMESPACE/NAME"],
    [["status", "--pod", "a/b"], "--pod does not belong"],
    [["attachments", "--pod"], "--pod"],
    [["status", "--nope"], "--nope"],
    [["status", "-o", "xml"], "table, json, yaml"],
    [["deletions", "show", ""], "usage"],
  ])("%j is 2 and says what there is", async (argv, text) => {
    const { status, out, error } = await multusctl(...argv);

    expect([status, out]).toEqual([2, ""]);
    expect(error).toMatch(/^multusctl: .*\n$/);
    expect(error).toContain(text);
  });
});

describe("without a daemon", () => {
  it("is 3 where there is no socket, and names it", async () => {
    const { status, error } = await multusctl("--socket", "/nowhere/multus.sock", "status");

    expect(status).toBe(3);
    expect(error).toContain("/nowhere/multus.sock");
  });

  it("is 3 where nobody listens any more", async () => {
    const { path } = await withDaemon();
    const directory = await temporaryDirectory();
    const dead = createServer(new FakeParts());
    const socket = await listenOnSocket(dead.app, directory);
    dead.app.server.close();

    const { status, error } = await multusctl("--socket", socket.path, "status");

    expect(status).toBe(3);
    expect(error).toContain("not running");
    expect(path).not.toBe(socket.path);
  });

  it("gives up on one that takes connections and never answers", async () => {
    const path = join(await temporaryDirectory(), "s");
    const silent = createTcpServer(() => undefined).listen(path);
    onTestFinished(() => void silent.close());

    await expect(connectDaemon(path, 50)("GET", "/healthz")).rejects.toThrow(/no answer within 0.05 s/);
  });

  it("is 1 where something else answers", async () => {
    const path = join(await temporaryDirectory(), "s");
    const other = createTcpServer((socket) => {
      socket.end("HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello");
    }).listen(path);
    onTestFinished(() => void other.close());

    expect(await multusctl("--socket", path, "attachments")).toMatchObject({ status: 1, out: "" });
  });
});

describe("--help and --version", () => {
  it("are 0, with whatever else", async () => {
    expect(await multusctl("--version")).toMatchObject({ status: 0, out: "multusctl 1.2.3\n" });
    expect((await multusctl("deletions", "show", "--help")).status).toBe(0);
  });

  it("are what docs/multusctl.md shows", async () => {
    const page = await readFile("docs/multusctl.md", "utf8");

    const [, shown] =
      /<!-- generated:multusctl-help -->\n([\s\S]*?)\n<!-- \/generated:multusctl-help -->/.exec(page) ?? [];
    expect(shown).toBe(renderHelpPage());
    expect(shown).toContain((await multusctl("--help")).out);
  });
});
