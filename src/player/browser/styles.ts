// Lengths are in em of `medium`, the size that readers chose, whatever the page does to its own text.
const css = `
:host{display:block;min-width:min(100%,16em);container-type:inline-size;font:normal medium/1.3 system-ui,sans-serif;font-family:var(--lectern-font,system-ui,sans-serif);font-size:var(--lectern-font-size,medium);text-align:start;letter-spacing:normal;word-spacing:normal;text-transform:none;-webkit-tap-highlight-color:transparent}
:host([hidden]){display:none}
*{box-sizing:border-box}
[hidden]{display:none!important}
.root{--c:var(--lectern-color,light-dark(#191c20,#eceef1));--b:var(--lectern-background,light-dark(#f5f6f7,#1e2226));--a:var(--lectern-accent,light-dark(#1557c0,#8fb8ff));--o:var(--lectern-on-accent,light-dark(#fff,#0c1117));--l:var(--lectern-border,color-mix(in srgb,var(--c) 13%,transparent));--m:color-mix(in srgb,var(--c) 72%,var(--b));color-scheme:light;color:var(--c);display:grid;grid-template-rows:1fr;transition:grid-template-rows .25s,opacity .25s}
.root.dark{color-scheme:dark}
.root.empty{grid-template-rows:0fr;opacity:0}
.fold{min-height:0;overflow:clip;overflow-clip-margin:4px}
.root.empty .fold{overflow:hidden}
.card{display:grid;grid-template:"p t" 3em "s s" 1.5em "a a" 2.5em/auto 1fr;gap:.25em .75em;align-items:center;height:9em;padding:.6875em .875em;background:var(--b);border:1px solid var(--l);border-radius:var(--lectern-radius,.875em)}
button,select,input{font:inherit;color:inherit;margin:0}
button{border:0;padding:0;background:none;cursor:pointer;border-radius:999px}
button:disabled,select:disabled{cursor:default}
:focus-visible{outline:2px solid var(--a);outline-offset:2px}
svg{display:block;width:1.5em;height:1.5em;font-family:system-ui,sans-serif}
.play{grid-area:p;position:relative;display:grid;place-items:center;flex:none;width:3em;height:3em;color:var(--o);background:var(--a);transition:filter .15s,scale .15s}
.play:hover{filter:brightness(1.1)}
.play:active{scale:.95}
.play:disabled{opacity:.45;filter:none;scale:none}
.play svg{grid-area:1/1}
.play svg+svg,.playing svg{visibility:hidden}
.playing svg+svg{visibility:visible}
.waiting::after{content:"";position:absolute;inset:-3px;border:2px solid var(--a);border-inline-start-color:transparent;border-radius:50%;animation:turn 1s linear infinite}
@keyframes turn{to{rotate:1turn}}
.about{grid-area:t;min-width:0}
.title{overflow:hidden;white-space:nowrap;text-overflow:ellipsis;font-weight:600}
.status{display:flex;align-items:center;height:1.5em;font-size:.875em;color:var(--m);white-space:nowrap}
.status>span{overflow:hidden;text-overflow:ellipsis}
.status select{margin-inline-start:.25em;height:1.75em;color:var(--c)}
.retry{flex:none;margin-inline-start:.5em;padding:0 .5em;min-height:1.75em;color:var(--a);font-weight:600;text-decoration:underline;text-underline-offset:.2em}
.seek{grid-area:s;display:flex;align-items:center;gap:.75em;min-width:0}
.time{font-size:.8125em;color:var(--m);font-variant-numeric:tabular-nums;min-width:2.5em}
.time.long{min-width:3.75em}
.seek .time:last-child{text-align:end}
input{appearance:none;flex:1;min-width:0;height:1.5em;padding:0;background:none;cursor:pointer;--t:color-mix(in srgb,var(--c) 18%,transparent);--f:color-mix(in srgb,var(--c) 36%,transparent);--x:calc(var(--_played,0)*(100% - .875em) + .4375em);--y:max(var(--x),calc(var(--_buffered,0)*100%));--g:linear-gradient(to right,var(--a) var(--x),var(--f) var(--x) var(--y),var(--t) var(--y))}
input:dir(rtl){--g:linear-gradient(to left,var(--a) var(--x),var(--f) var(--x) var(--y),var(--t) var(--y))}
input:disabled{cursor:default;--x:0px}
input::-webkit-slider-runnable-track{height:.3125em;border-radius:1em;background:var(--g)}
input::-moz-range-track{height:.3125em;border-radius:1em;background:var(--g)}
input::-webkit-slider-thumb{appearance:none;width:.875em;height:.875em;margin-top:-.28125em;border:0;border-radius:50%;background:var(--a);transition:scale .15s}
input::-moz-range-thumb{width:.875em;height:.875em;border:0;border-radius:50%;background:var(--a)}
input:hover::-webkit-slider-thumb{scale:1.2}
input:disabled::-webkit-slider-thumb{visibility:hidden}
input:disabled::-moz-range-thumb{visibility:hidden}
.actions{grid-area:a;display:flex;align-items:center;gap:.125em;margin-inline:-.5em}
.icon{display:grid;place-items:center;flex:none;width:2.5em;height:2.5em}
select{appearance:none;height:2.25em;padding:0 .5em;border:0;border-radius:999px;background:transparent;font-size:.875em;font-weight:600;font-variant-numeric:tabular-nums;text-align:center;text-align-last:center;cursor:pointer;max-width:100%;text-overflow:ellipsis}
option{color:var(--c);background:var(--b)}
.speed{min-width:3.75em;height:2.5em;margin-inline-start:auto}
.voice{padding-inline-end:1.25em;min-width:0;background:linear-gradient(45deg,transparent 50%,currentColor 50% calc(50% + 1px),transparent 0) no-repeat right .6em top 45%/.35em .35em,linear-gradient(-45deg,transparent 50%,currentColor 50% calc(50% + 1px),transparent 0) no-repeat right .3em top 45%/.35em .35em}
.icon:hover:enabled,select:hover:enabled,li button:hover,.mini-title:hover{background-color:color-mix(in srgb,var(--c) 9%,transparent)}
.icon:disabled,select:disabled{opacity:.45}
ol{list-style:none;margin:.5em 0 0;padding:.25em;max-height:15.5em;overflow:auto;background:var(--b);border:1px solid var(--l);border-radius:var(--lectern-radius,.875em);counter-reset:n}
li button{display:flex;gap:.75em;width:100%;min-height:2.5em;padding:.375em .75em;align-items:center;text-align:start;border-radius:.625em;font-size:.9375em;counter-increment:n}
li button::before{content:counter(n);flex:none;width:1.25em;color:var(--m);font-variant-numeric:tabular-nums;text-align:end}
li [aria-current]{font-weight:600}
li [aria-current]::before{content:"▶" / "";color:var(--a);font-size:.75em;width:1.6667em}
.said{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.mini{position:fixed;inset:auto max(1em,env(safe-area-inset-right)) max(1em,env(safe-area-inset-bottom)) auto;margin:0;width:min(26em,100vw - 2em);align-items:center;gap:.625em;padding:.5em .375em .5em .5em;overflow:hidden;color:var(--c);background:var(--b);border:1px solid var(--l);border-radius:var(--lectern-radius,.875em);box-shadow:0 .25em 1.5em #0003}
.mini:popover-open{display:flex;animation:rise .25s}
.mini.top{inset-block:max(1em,env(safe-area-inset-top)) auto}
.mini .play{width:2.5em;height:2.5em}
.mini svg{width:1.25em;height:1.25em}.play svg{width:1.75em;height:1.75em}
.mini-title{flex:1;min-width:0;padding:.5em;border-radius:.5em;overflow:hidden;white-space:nowrap;text-overflow:ellipsis;text-align:start;font-size:.9375em;font-weight:600}
.mini .time{min-width:0}
.mini-line{position:absolute;inset:0 0 auto;height:3px;background:var(--a);transform-origin:left;scale:var(--_played,0) 1}
.mini-line:dir(rtl){transform-origin:right}
@keyframes rise{from{opacity:0;translate:0 1em}}
@container (width >= 34em){.card{height:6.5em;grid-template:"p t a" 3em "s s s" 1.5em/auto 1fr auto;gap:.375em .75em;padding-block:.75em}}
@media (prefers-reduced-motion:reduce){*,.root,.mini:popover-open{transition:none!important;animation-duration:0s!important}.waiting::after{border-inline-start-color:var(--a);border-style:dotted}}
@media (forced-colors:active){.root{--c:CanvasText;--b:Canvas;--a:Highlight;--o:HighlightText;--m:CanvasText;--l:CanvasText}.play,input,.mini-line{forced-color-adjust:none}input{--t:GrayText;--f:CanvasText}button:disabled,select:disabled{color:GrayText}}
`;

/** Taken over by every player: a sheet made by a script is what the strictest style policy lets through. */
export const styles = new CSSStyleSheet();
styles.replaceSync(css);
