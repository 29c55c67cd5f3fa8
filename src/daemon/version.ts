/** Put in by the build (`tools/build.mjs`, from package.json); unbundled sources say so. */
declare const MULTUSD_VERSION: string | undefined;

export const version = typeof MULTUSD_VERSION === "string" ? MULTUSD_VERSION : "0.0.0-source";
