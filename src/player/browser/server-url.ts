const script = document.currentScript;

/** Where the server is, as this script's own address tells; undefined where the script was copied elsewhere. */
export const serverUrl: string | undefined =
  script instanceof HTMLScriptElement ? /^(.*)\/v1\/public\/player\.js/.exec(script.src)?.[1] : undefined;
