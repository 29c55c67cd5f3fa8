/** Layers of docs/architecture.md: a layer imports downward only, adapters do not import each other. */
const adapters = "kubernetes|manifests|kubelet|runtime|host|state|config|observability";
const libraries = {
  fastify: "server",
  "@fastify/.+": "server",
  typebox: "server|config",
  pino: "observability",
  "prom-client": "observability",
  chokidar: "manifests|config|deletions",
  yaml: "manifests|cli",
};

module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "foundation-knows-nobody",
      severity: "error",
      from: { path: "^src/foundation/" },
      to: { path: "^src/(?!foundation/)" },
    },
    {
      name: "cni-stands-alone",
      comment: "src/cni could be published by itself",
      severity: "error",
      from: { path: "^src/cni/" },
      to: { path: "^src/(?!cni/)" },
    },
    {
      name: "domain-knows-no-adapter",
      severity: "error",
      from: { path: "^src/attachments/" },
      to: { path: "^src/(?!attachments/|cni/|foundation/)" },
    },
    {
      name: "deletions-sit-on-attachments",
      severity: "error",
      from: { path: "^src/deletions/" },
      to: { path: "^src/(?!deletions/|attachments/|cni/|foundation/)" },
    },
    {
      name: "adapters-know-only-ports",
      severity: "error",
      from: { path: `^src/(${adapters})/` },
      to: { path: "^src/(?!attachments/|deletions/|cni/|foundation/|$1/)" },
    },
    {
      name: "server-knows-no-adapter",
      severity: "error",
      from: { path: "^src/server/" },
      to: { path: "^src/(?!server/|attachments/|deletions/|cni/|foundation/)" },
    },
    {
      name: "one-composition-root",
      severity: "error",
      from: { path: "^src/(?!daemon/|cli/)" },
      to: { path: "^src/(daemon|cli)/" },
    },
    ...Object.entries(libraries).map(([library, folders]) => ({
      name: `library-stays-home-${library}`,
      severity: "error",
      from: { path: `^src/(?!(?:${folders}|daemon)/)` },
      to: { path: `node_modules/${library}/` },
    })),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default"] },
  },
};
