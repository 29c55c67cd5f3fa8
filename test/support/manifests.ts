import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface PodManifest {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  /** `k8s.v1.cni.cncf.io/networks`. */
  readonly networks?: string;
}

export interface DefinitionManifest {
  readonly name: string;
  readonly namespace?: string;
  readonly config: string | object;
  readonly annotations?: Readonly<Record<string, string>>;
}

export function podManifest(pod: PodManifest): object {
  const annotations = pod.networks === undefined ? {} : { "k8s.v1.cni.cncf.io/networks": pod.networks };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: pod.name, namespace: pod.namespace ?? "default", uid: pod.uid, annotations },
  };
}

export function definitionManifest(definition: DefinitionManifest): object {
  const { config, name, namespace = "default", annotations = {} } = definition;
  return {
    apiVersion: "k8s.cni.cncf.io/v1",
    kind: "NetworkAttachmentDefinition",
    metadata: { name, namespace, annotations },
    spec: { config: typeof config === "string" ? config : JSON.stringify(config) },
  };
}

/** Puts one manifest into a watched directory in one step, so that nobody reads half of it. */
export async function writeManifest(
  directory: string,
  fileName: string,
  content: object | string,
): Promise<void> {
  const text = typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`;
  const temporary = join(directory, `.${fileName}.tmp`);
  await writeFile(temporary, text);
  await rename(temporary, join(directory, fileName));
}
