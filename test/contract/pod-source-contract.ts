import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Failure } from "../../src/attachments/failure.ts";
import type {
  NamespaceSource,
  NetworkDefinition,
  NetworkDefinitionSource,
  Pod,
  PodSource,
} from "../../src/attachments/ports.ts";

/** A source together with the means to change what it knows, as a cluster's users would. */
export interface SourceUnderTest {
  readonly source: PodSource & NetworkDefinitionSource & NamespaceSource;
  putPod(pod: Pod): Promise<void>;
  removePod(namespace: string, name: string): Promise<void>;
  putDefinition(definition: NetworkDefinition): Promise<void>;
  /** Makes a definition that is there, but that nobody can use. */
  breakDefinition(namespace: string, name: string): Promise<void>;
  putNamespace(name: string, annotations: Readonly<Record<string, string>>): Promise<void>;
  /** Makes it impossible to tell anything. */
  cutOff(): Promise<void>;
  close(): Promise<void>;
}

const alive = new AbortController().signal;

function podOf(name: string, changes: Partial<Pod> = {}): Pod {
  return { namespace: "default", name, annotations: {}, isStatic: false, ...changes };
}

/** What the domain relies on, whoever knows the pods. */
export function describePodSource(kind: string, open: () => Promise<SourceUnderTest>): void {
  describe(`${kind} as a source of pods and definitions`, () => {
    let subject: SourceUnderTest;
    beforeEach(async () => {
      subject = await open();
    });
    afterEach(async () => {
      await subject.close();
    });

    it("knows nothing that was never there", async () => {
      const { source } = subject;
      expect(await source.findPod({ namespace: "default", name: "none" }, alive)).toBeUndefined();
      expect(await source.findDefinition("default", "none", alive)).toBeUndefined();
      expect(await source.findNamespaceAnnotations("none", alive)).toEqual({});
    });

    it("finds a pod with UID and annotations at once after it was made", async () => {
      const pod = podOf("web-0", { uid: "u-1", annotations: { "k8s.v1.cni.cncf.io/networks": "a, b@net7" } });
      await subject.putPod(pod);
      expect(await subject.source.findPod({ namespace: "default", name: "web-0" }, alive)).toEqual(pod);
    });

    it("finds the pod of a name whatever UID the runtime has: who asks compares", async () => {
      await subject.putPod(podOf("web-0", { uid: "u-2" }));
      const found = await subject.source.findPod({ namespace: "default", name: "web-0", uid: "u-1" }, alive);
      expect(found?.uid).toBe("u-2");
    });

    it("gives the newest form of a pod, and nothing once it is gone", async () => {
      await subject.putPod(podOf("web-0", { uid: "u-1" }));
      await subject.putPod(podOf("web-0", { uid: "u-2" }));
      expect((await subject.source.findPod({ namespace: "default", name: "web-0" }, alive))?.uid).toBe("u-2");
      await subject.removePod("default", "web-0");
      expect(await subject.source.findPod({ namespace: "default", name: "web-0" }, alive)).toBeUndefined();
    });

    it("keeps names of different namespaces apart", async () => {
      await subject.putPod(podOf("same", { namespace: "one", uid: "u-1" }));
      await subject.putPod(podOf("same", { namespace: "two", uid: "u-2" }));
      expect((await subject.source.findPod({ namespace: "two", name: "same" }, alive))?.uid).toBe("u-2");
      expect(await subject.source.findPod({ namespace: "three", name: "same" }, alive)).toBeUndefined();
    });

    it("tells a static pod, whose mirror has another UID", async () => {
      const annotations = { "kubernetes.io/config.source": "file" };
      await subject.putPod(podOf("etcd", { annotations, isStatic: true }));
      expect((await subject.source.findPod({ namespace: "default", name: "etcd" }, alive))?.isStatic).toBe(
        true,
      );
    });

    it("gives a definition's configuration exactly as it was written", async () => {
      const config =
        '{\n  "cniVersion": "1.0.0",\n\t"vlan": 12345678901234567890, "vlan": 1e2, "ü": "\\u00fc" }\n';
      const definition = { namespace: "default", name: "net", annotations: { a: "b" }, config };
      await subject.putDefinition(definition);
      expect(await subject.source.findDefinition("default", "net", alive)).toEqual(definition);
    });

    it("gives a definition without a configuration as one", async () => {
      await subject.putDefinition({ namespace: "default", name: "from-file", annotations: {} });
      const found = await subject.source.findDefinition("default", "from-file", alive);
      expect(found).toEqual({ namespace: "default", name: "from-file", annotations: {} });
    });

    it("does not judge the configuration: that is who uses it", async () => {
      await subject.putDefinition({ namespace: "default", name: "net", annotations: {}, config: "{no JSON" });
      expect((await subject.source.findDefinition("default", "net", alive))?.config).toBe("{no JSON");
    });

    it("refuses a definition that cannot be used, and goes on with the others", async () => {
      await subject.putDefinition({ namespace: "default", name: "good", annotations: {}, config: "{}" });
      await subject.breakDefinition("default", "bad");
      await expect(subject.source.findDefinition("default", "bad", alive)).rejects.toMatchObject({
        failureClass: "invalid-configuration",
      });
      expect(await subject.source.findDefinition("default", "good", alive)).toBeDefined();
    });

    it("gives the annotations of a namespace", async () => {
      await subject.putNamespace("team-a", { "multusd.io/del-error-policy": "strict" });
      expect(await subject.source.findNamespaceAnnotations("team-a", alive)).toEqual({
        "multusd.io/del-error-policy": "strict",
      });
    });

    it("fails with a name, and not with `nothing there`, when it cannot tell", async () => {
      await subject.putPod(podOf("web-0"));
      await subject.cutOff();
      for (const looking of [
        subject.source.findPod({ namespace: "default", name: "web-0" }, alive),
        subject.source.findDefinition("default", "net", alive),
        subject.source.findNamespaceAnnotations("default", alive),
      ]) {
        await expect(looking).rejects.toBeInstanceOf(Failure);
        await expect(looking).rejects.toMatchObject({ failureClass: "not-ready" });
      }
    });

    it("rejects with the signal's reason once the caller has gone", async () => {
      const gone = AbortSignal.abort(new Error("caller gone"));
      await expect(subject.source.findPod({ namespace: "default", name: "x" }, gone)).rejects.toThrow(
        "caller gone",
      );
      await expect(subject.source.findDefinition("default", "x", gone)).rejects.toThrow("caller gone");
    });

    it("answers many at once, each with what was there when it asked", async () => {
      const names = Array.from({ length: 20 }, (_, index) => `pod-${index}`);
      const found = await Promise.all(
        names.map(async (name) => {
          await subject.putPod(podOf(name, { uid: name }));
          return await subject.source.findPod({ namespace: "default", name }, alive);
        }),
      );
      expect(found.map((pod) => pod?.uid)).toEqual(names);
    });
  });
}
