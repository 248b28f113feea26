const script = document.currentScript;

/** The server URL, from the URL of this script; undefined for a copy on another server. */
export const serverUrl: string | undefined =
  script instanceof HTMLScriptElement ? /^(.*)\/v1\/public\/player\.js/.exec(script.src)?.[1] : undefined;
