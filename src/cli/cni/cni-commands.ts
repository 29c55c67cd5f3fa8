import {
  AddFailedError,
  addNetworkList,
  checkNetworkList,
  collectGarbageNetworkList,
  deleteNetworkList,
  printResult,
  statusNetworkList,
} from "../../cni/index.ts";
import type { Command, CommandInput } from "../command.ts";
import type { Finding } from "../output.ts";
import { callNetwork } from "./network-call.ts";
import { pluginVersionsFinding } from "./plugin-versions-finding.ts";
import { printAsGo } from "./print-as-go.ts";

const parameters = ["NETWORK", "NETNS"] as const;
/** Each verb takes both, though some have no use for them: cnitool's flag is the same for all verbs too. */
const options = ["ifname", "cache-dir"] as const;

const cniAdd: Command = {
  name: "cni add",
  parameters,
  options,
  summary: "attach the namespace to a network; prints the result",
  run: async (input) =>
    await callNetwork(input, async ({ cni, list, attachment, limits }) => {
      const result = await addNetworkList(cni, list, attachment, limits).catch((error) => {
        warnOfLeftovers(error, input);
        throw error;
      });
      const answer: unknown = JSON.parse(printResult(result));
      return { answer, table: () => printAsGo(answer, result.cniVersion), exitCode: 0 };
    }),
};

const cniDelete: Command = {
  name: "cni del",
  parameters,
  options,
  summary: "undo what cni add did, or what is left of it",
  run: async (input) =>
    await callNetwork(input, async ({ cni, list, attachment, limits }) => {
      const { cacheProblem } = await deleteNetworkList(cni, list, attachment, limits);
      if (cacheProblem !== undefined) input.writeError(`multusctl: deleted, but ${cacheProblem}\n`);
      return nothingToSay;
    }),
};

const cniCheck: Command = {
  name: "cni check",
  parameters,
  options,
  summary: "is everything still as cni add left it",
  run: async (input) =>
    await callNetwork(input, async ({ cni, list, attachment, limits }) => {
      await checkNetworkList(cni, list, attachment, "from-cache", limits);
      return nothingToSay;
    }),
};

const cniCollectGarbage: Command = {
  name: "cni gc",
  parameters,
  options,
  summary: "delete EVERY cached attachment of the network, whatever NETNS; then GC of its plugins",
  run: async (input) =>
    await callNetwork(input, async ({ cni, list, attachment, limits }) => {
      await collectGarbageNetworkList(cni, list, [], attachment, limits, { deleteStale: true });
      return nothingToSay;
    }),
};

const cniStatus: Command = {
  name: "cni status",
  parameters,
  options,
  summary: "could the network's plugins serve cni add now",
  run: async (input) =>
    await callNetwork(input, async ({ cni, list, attachment, limits }) => {
      await statusNetworkList(cni, list, attachment, limits);
      return nothingToSay;
    }),
};

const cniVersion: Command = {
  name: "cni version",
  parameters,
  options,
  summary: "the versions that the network's plugins support; 1 if the list's is not among them",
  run: async (input) => await callNetwork(input, pluginVersionsFinding),
};

/** As with cnitool nothing is undone: whoever tries out a list wants to look at what it left. */
function warnOfLeftovers(error: unknown, { parameters: [network, netns], writeError }: CommandInput): void {
  if (!(error instanceof AddFailedError) || error.tried.length === 0) return;
  writeError(`multusctl: what has run is not undone; "multusctl cni del ${network} ${netns}" does that\n`);
}

const nothingToSay: Finding = { answer: {}, table: () => "", exitCode: 0 };

/** One network list run here and now, as upstream's cnitool runs it. No daemon is asked. */
export const cniCommands: readonly Command[] = [
  cniAdd,
  cniDelete,
  cniCheck,
  cniCollectGarbage,
  cniStatus,
  cniVersion,
];
