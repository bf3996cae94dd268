declare module "*.yaml" {
  const text: string;
  export default text;
}
declare module "*.tenor" {
  const text: string;
  export default text;
}
/** Names of built files, put in by build.mjs. */
declare const WORKER: string;
declare const WASM: string;
/** Of workers; TypeScript's library for pages has it not. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}
declare module "*.yaml" {
  const text: string;
  export default text;
}
declare module "*.csv" {
  const text: string;
  export default text;
}
