/** A daemon that only runs one plugin: `daemon-program.ts BINARY RUNS PLUGIN`. For the tests of its death. */
import { startPluginHost } from "../../../src/host/plugin-host.ts";
import { RecordingLog } from "../../support/recording-log.ts";

const [binary, runsDirectory, path] = process.argv.slice(2);
if (binary === undefined || runsDirectory === undefined || path === undefined) process.exit(2);
const host = await startPluginHost({ binary, runsDirectory, bootId: "boot-1", log: new RecordingLog() });
await host.executePlugin({
  path,
  env: { PATH: "/usr/bin:/bin" },
  stdin: "",
  timeoutMs: 60_000,
  owner: "container-1",
});
