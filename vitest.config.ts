import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["test/{unit,contract,architecture}/**/*.test.ts"] } },
      {
        test: {
          name: "integration",
          include: ["test/{integration,e2e}/**/*.test.ts"],
          setupFiles: ["test/support/kernel-setup.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
