declare module '@diffusionstudio/piper-wasm/build/piper_phonemize.js' {
  /** The Emscripten module of Piper's phonemizer, as far as it is used. */
  export interface PiperPhonemizer {
    callMain(args: string[]): number;
    /** Files in memory. */
    FS: {
      readdir(path: string): string[];
      stat(path: string): { mode: number };
      isDir(mode: number): boolean;
      readFile(path: string): Uint8Array;
      writeFile(path: string, data: Uint8Array): void;
    };
  }
  export default function create(options: {
    print: (line: string) => void;
    printErr: (line: string) => void;
    quit: (status: number, reason: unknown) => never;
    locateFile: (name: string) => string;
    /** Called instead of loading the WebAssembly; gives on what `receive` returns. */
    instantiateWasm: (
      imports: WebAssembly.Imports,
      receive: (instance: WebAssembly.Instance) => WebAssembly.Exports,
    ) => WebAssembly.Exports;
  }): Promise<PiperPhonemizer>;
}
