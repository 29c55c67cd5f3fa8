import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NetworkDefinition, Pod } from "../../src/attachments/ports.ts";
import { createManifestSource } from "../../src/manifests/create-manifest-source.ts";
import { FakeNetworkSource } from "../support/fake-network-source.ts";
import { writeManifest } from "../support/manifests.ts";
import { RecordingLog } from "../support/recording-log.ts";
import { describePodSource, type SourceUnderTest } from "./pod-source-contract.ts";

describePodSource("the fake", async (): Promise<SourceUnderTest> => {
  const source = new FakeNetworkSource();
  return {
    source,
    putPod: async (pod) => source.putPod(pod),
    removePod: async (namespace, name) => source.removePod(namespace, name),
    putDefinition: async (definition) => source.putDefinition(definition),
    breakDefinition: async (namespace, name) => source.breakDefinition(namespace, name),
    putNamespace: async (name, annotations) => source.putNamespace(name, annotations),
    cutOff: async () => source.setReachable(false),
    close: async () => {},
  };
});

describePodSource("a directory of manifests", async (): Promise<SourceUnderTest> => {
  const parent = await mkdtemp(join(tmpdir(), "multusd-manifests-"));
  const directory = join(parent, "manifests");
  await rename(await mkdtemp(join(parent, "new-")), directory);
  const source = await createManifestSource(directory, new RecordingLog());
  const put = async (name: string, manifest: object) =>
    await writeManifest(directory, `${name}.json`, manifest);
  return {
    source,
    putPod: async (pod) => await put(`pod-${pod.namespace}-${pod.name}`, podManifestOf(pod)),
    removePod: async (namespace, name) => await rm(join(directory, `pod-${namespace}-${name}.json`)),
    putDefinition: async (definition) =>
      await put(`net-${definition.name}`, definitionManifestOf(definition)),
    breakDefinition: async (namespace, name) =>
      await put(`net-${name}`, {
        ...definitionManifestOf({ namespace, name, annotations: {} }),
        spec: { config: {} },
      }),
    putNamespace: async (name, annotations) =>
      await put(`ns-${name}`, { apiVersion: "v1", kind: "Namespace", metadata: { name, annotations } }),
    cutOff: async () => await rename(directory, join(parent, "away")),
    close: async () => {
      await source.stop();
      await rm(parent, { recursive: true, force: true });
    },
  };
});

function podManifestOf({ namespace, name, uid, annotations }: Pod): object {
  return { apiVersion: "v1", kind: "Pod", metadata: { namespace, name, uid, annotations } };
}

function definitionManifestOf({ namespace, name, annotations, config }: NetworkDefinition): object {
  const spec = config === undefined ? {} : { spec: { config } };
  return {
    apiVersion: "k8s.cni.cncf.io/v1",
    kind: "NetworkAttachmentDefinition",
    metadata: { namespace, name, annotations },
    ...spec,
  };
}
