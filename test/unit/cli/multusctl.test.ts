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
import { aDeletion, anAttachment, FakeParts } from "../server/fakes.ts";

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
    [["leaks"], 'unknown command "leaks"'],
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
