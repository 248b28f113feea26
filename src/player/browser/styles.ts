// Lengths are in em of `medium`, the font size of the reader's browser settings. Every rule is sent to
// every reader: rules are few and shared.
const css = `
:host{all:initial;visibility:inherit;direction:ltr;display:block;min-width:16em;container-type:inline-size;font:medium/1.3 var(--lectern-font,system-ui,sans-serif);font-size:var(--lectern-font-size,medium)}
*{box-sizing:border-box}
:host([hidden]),[hidden]{display:none!important}
.root{--c:var(--lectern-color,light-dark(#191c20,#eceef1));--b:var(--lectern-background,light-dark(#f5f6f7,#1e2226));--a:var(--lectern-accent,light-dark(#1557c0,#8fb8ff));--o:var(--lectern-on-accent,light-dark(#fff,#0c1117));--l:var(--lectern-border,color-mix(in srgb,var(--c) 13%,#0000));--m:color-mix(in srgb,var(--c) 72%,var(--b));--t:color-mix(in srgb,var(--c) 17%,#0000);color-scheme:light;color:var(--c);display:grid;grid-template-rows:1fr;transition:.25s}
.dark{color-scheme:dark}
.empty{grid-template-rows:0fr;opacity:0}
.fold{min-height:0}
.empty .fold{overflow:hidden}
.card,ol,.mini{background:var(--b);border:1px solid var(--l);border-radius:var(--lectern-radius,.875em)}
.card{display:grid;grid-template:"p t" 3em "s s" 1.5em "a a" 2.5em/auto 1fr;gap:.25em .75em;align-items:center;height:9em;padding:.7em .875em}
button,select,input{font:inherit;color:inherit;margin:0;border:0;padding:0;background:none;cursor:pointer;border-radius:2em}
:disabled{cursor:default;opacity:.45}
:focus-visible{outline:2px solid var(--a);outline-offset:2px}
svg{width:1.5em}
path{stroke:currentColor;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}
[part~=back]::after,[part~=forward]::after{content:"15"/"";grid-area:1/1;margin-top:.4em;font:700 .45em system-ui}
.icon svg{grid-area:1/1}
.title,[part=status],.mini-title{overflow:hidden;white-space:nowrap;text-overflow:ellipsis}
.title,select,.mini-title,.retry,[aria-current]{font-weight:600}
.play,.icon{display:grid;place-items:center;flex:none;width:2.5em;height:2.5em}
.play{position:relative;color:var(--o);background:var(--a)}
.play:hover{opacity:.88}
.card .play{width:3em;height:3em}
.card .play svg{width:1.75em}
.play svg+svg,.playing svg{display:none}
.playing svg+svg{display:block}
.waiting::after{content:"";position:absolute;inset:-3px;border:2px solid var(--a);border-left-color:#0000;border-radius:2em;animation:turn 1s linear infinite}
@keyframes turn{to{rotate:1turn}}
.about,input,.mini-title{flex:1;min-width:0}
.status,.seek,.actions{display:flex;align-items:center}
.status{height:1.75em}
.status,.time{font-size:.875em;color:var(--m)}
.voice,.retry{flex:none;margin-left:.5em;min-height:1.75em;color:var(--a);text-decoration:underline}
.seek{grid-area:s;gap:.75em}
.time{min-width:2.5em;font-variant-numeric:tabular-nums}
.seek :last-child{text-align:right}
input{appearance:none;height:1.5em;--x:calc(var(--p)*(100% - .875em) + .4375em);--g:linear-gradient(90deg,var(--a) var(--x),var(--t) 0 max(var(--x),100%*var(--q)),#0000 0),var(--t)}
input:disabled{opacity:1;--x:0px}
input::-webkit-slider-runnable-track{height:.3em;border-radius:1em;background:var(--g)}
input::-moz-range-track{height:.3em;border-radius:1em;background:var(--g)}
input::-webkit-slider-thumb{appearance:none;width:.875em;height:.875em;margin-top:-.2875em;border-radius:1em;background:var(--a)}
input::-moz-range-thumb{width:.875em;height:.875em;border:0;border-radius:1em;background:var(--a)}
input:disabled::-webkit-slider-thumb{visibility:hidden}
input:disabled::-moz-range-thumb{visibility:hidden}
.actions{grid-area:a;margin:0 -.5em}
select{appearance:none;font-size:.875em;text-align:center}
option{color:var(--c);background:var(--b)}
.speed{width:4em;height:2.75em;margin-left:auto}
.icon:hover:enabled,.speed:hover:enabled,li button:hover,.mini-title:hover{background:var(--t)}
ol{margin:.5em 0 0;padding:.25em .25em .25em 2.25em;max-height:15.5em;overflow:auto}
li::marker{color:var(--m)}
li:has([aria-current])::marker{content:"▸ ";color:var(--a)}
li button{width:100%;padding:.5em .75em;text-align:left;border-radius:.5em}
.said{position:absolute;width:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.mini{position:fixed;inset:auto 1em 1em auto;margin:0;width:min(26em,100% - 2em);align-items:center;gap:.5em;padding:.5em;overflow:hidden;color:var(--c);box-shadow:0 .25em 1.5em #0003}
.mini:popover-open{display:flex;animation:rise .25s}
.mini.top{inset:1em 1em auto auto}
.mini-title{padding:.5em;border-radius:.5em;text-align:left}
.mini-line{position:absolute;inset:0 0 auto;height:3px;background:var(--a);transform-origin:left;scale:var(--p) 1}
@keyframes rise{from{opacity:0;translate:0 1em}}
@container (width>=34em){.card{height:6.5em;grid-template:"p t a" 3em "s s s" 1.5em/auto 1fr auto;gap:.375em .75em;padding-block:.75em}}
@media (prefers-reduced-motion){*,::after{transition:none!important;animation:none!important}}
@media (forced-colors:active){.root{--a:CanvasText;--o:Canvas;--t:GrayText}.play,input,.mini-line{forced-color-adjust:none}}
`;

/** Shared by all players. A constructed style sheet works under the strictest style policy. */
export const styles = new CSSStyleSheet();
styles.replaceSync(css);
