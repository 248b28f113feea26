// Files that travel inside the executable. Each is imported with { type: 'file' } and yields the path
// under which it can be read: in node_modules or voices when run from source, inside the executable otherwise.

declare module '*.node' {
  const path: string;
  export default path;
}

declare module '*.so.1' {
  const path: string;
  export default path;
}

declare module '*.onnx' {
  const path: string;
  export default path;
}

declare module '*.wasm' {
  const path: string;
  export default path;
}

declare module '*.data' {
  const path: string;
  export default path;
}

declare module '*.png' {
  const path: string;
  export default path;
}

declare module '*.ico' {
  const path: string;
  export default path;
}

declare module '*.woff2' {
  const path: string;
  export default path;
}

declare module '*.css' {
  const path: string;
  export default path;
}

declare module '*/episode-buttons.js' {
  const text: string;
  export default text;
}

declare module '*/from-folder.js' {
  const text: string;
  export default text;
}

// With { type: 'text' } it yields the text itself.
declare module '*.svg' {
  const text: string;
  export default text;
}

declare module '*.md' {
  const text: string;
  export default text;
}

declare module '*.php' {
  const text: string;
  export default text;
}

declare module '*.tsv' {
  const text: string;
  export default text;
}

declare module '*.txt' {
  const text: string;
  export default text;
}
