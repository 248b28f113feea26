// Lengths are in em of `medium`, the font size of the reader's browser settings; letters and ink are those of the page. Every
// rule is sent to every reader: rules are few and shared. Those of the large layout and of the panels are in extra-styles.ts.
const css = `
:host{all:initial;word-spacing:inherit;visibility:inherit;display:block;min-width:12em;container-type:inline-size;color:var(--lectern-color,inherit);font:medium/1.3 system-ui;font-family:var(--lectern-font,inherit);font-size:var(--lectern-font-size,medium)}
*{box-sizing:border-box}
:host([hidden]),[hidden]{display:none!important}
.root{--a:var(--lectern-accent,var(--k,currentColor));--o:var(--lectern-on-accent,light-dark(#fff,#121412));--g:var(--lectern-background,var(--lectern-site-ground,var(--lectern-site-page,Canvas)));--r:var(--lectern-radius,var(--lectern-site-radius,4px));--m:color-mix(in srgb,currentColor 74%,#0000);--t:color-mix(in srgb,currentColor 16%,#0000);--l:var(--lectern-border,var(--t));color-scheme:light;color:var(--lectern-color,var(--lectern-site-ink,inherit));display:grid;grid-template-rows:1fr;transition:.25s;text-align:start}
.tinted{--k:light-dark(oklch(from var(--lectern-site-accent) min(l,.5) c h),oklch(from var(--lectern-site-accent) max(l,.74) c h))}
.dark{color-scheme:dark}
.empty{grid-template-rows:0fr;opacity:0}
.fold{min-height:0;min-width:0;position:relative}
.empty .fold{overflow:hidden}
.unknown .card{visibility:hidden}
.card,ol,.float,.bubble{border:1px solid var(--l);border-radius:var(--r)}
.card,ol{background:var(--lectern-background,var(--lectern-site-ground,none))}
.card{display:flex;align-items:center;gap:.25em;min-height:5.75em;padding:.75em .875em}
.large .card{min-height:16.5em}
button,select,input{font:inherit;color:inherit;margin:0;border:0;padding:0;background:none;cursor:pointer;border-radius:2em}
:disabled{cursor:default;opacity:.45}
:focus-visible{outline:2px solid var(--a);outline-offset:2px}
svg{width:1.375em}
path{stroke:currentColor;stroke-width:1.75;stroke-linecap:round;stroke-linejoin:round}
.more path{stroke-width:2.5}
.back::after,.forward::after{content:"15"/"";grid-area:1/1;font:700 .45em system-ui}
.icon svg{grid-area:1/1}
.title{font-weight:600;overflow:hidden;font-size:1.0625em;line-height:1.3;display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;text-wrap:balance;overflow-wrap:anywhere}
.play,.icon{display:grid;place-items:center;flex:none;width:2.5em;height:2.5em}
.play{position:relative;background:var(--a);width:3em;height:3em}
.play svg{color:var(--o)}
.play:hover{opacity:.88}
.broken .play{background:var(--t)}
.broken .play svg{color:inherit}
.waiting::after{content:"";position:absolute;inset:-3px;border:2px solid var(--a);border-left-color:#0000;border-radius:2em;animation:turn 1s linear infinite}
@keyframes turn{to{rotate:1turn}}
.mid{flex:1;min-width:0;display:grid;grid-template-columns:minmax(0,1fr);gap:.25em;margin-inline:.625em}
.times{display:flex;gap:.75em;align-items:baseline;justify-content:space-between}
.status,.time{font-size:.8125em;line-height:1.3;color:var(--m);font-variant-numeric:tabular-nums}
.time{white-space:nowrap}
.end{display:flex}
.bar{position:relative;display:flex;align-items:center;height:1.25em;min-width:0}
.track{display:flex;gap:3px;flex:1;height:.375em}
i{flex:1 1 0;border-radius:1em;background:linear-gradient(90deg,var(--a) var(--f),var(--t) 0)}
[dir=rtl] i{background:linear-gradient(-90deg,var(--a) var(--f),var(--t) 0)}
input{appearance:none;position:absolute;inset:0 -.4375em;width:auto;height:100%}
input:disabled{opacity:1}
input::-webkit-slider-runnable-track{background:none}
input::-moz-range-track{background:none}
input::-webkit-slider-thumb{appearance:none;width:.875em;height:.875em;border-radius:1em;background:var(--a);box-shadow:0 0 0 3px var(--g)}
input::-moz-range-thumb{width:.875em;height:.875em;border:0;border-radius:1em;background:var(--a);box-shadow:0 0 0 3px var(--g)}
input:disabled::-webkit-slider-thumb{visibility:hidden}
input:disabled::-moz-range-thumb{visibility:hidden}
.bubble{--w:min(20em,100%);position:absolute;z-index:1;bottom:100%;inset-inline-start:clamp(0px,var(--x)*100% - var(--w)/2,100% - var(--w));width:var(--w);padding:.5em .75em;font-size:.8125em;pointer-events:none}
.float,.bubble{background:var(--g);box-shadow:0 1px 2px #0001,0 .75em 2em #0004}
.dark :is(.float,.bubble){background:color-mix(in srgb,currentColor 8%,var(--g))}
.bubble{border-radius:.5em}
select{appearance:none;text-align:center;text-align-last:center}
.speed{direction:ltr;flex:none;width:3.077em;height:3.077em;font-size:.8125em;font-weight:600}
option{color:light-dark(#191a18,#eeece6);background:light-dark(#fff,#191c1a)}
.icon:hover:enabled,.speed:hover:enabled,li button:hover,[aria-expanded=true]{background:var(--t)}
.title,.bubble,li button{unicode-bidi:plaintext}
[dir=rtl],[dir=rtl] li button{text-align:right}
[dir=rtl] :is(.previous,.next,.return) svg{scale:-1 1}
.compact .forward,.root:not(.begun,.large) :is(.back,.forward,.speed,.elapsed,.total,.end .transcript),.broken:not(.large) .end,.root:not(.begun,.large,.live) .bar,.begun:not(.large) .title,.begun:not(.large,.note) .status{display:none}
.begun:not(.large) .status{overflow:hidden;white-space:nowrap;text-overflow:ellipsis}
.live:not(.begun,.large) .mid{grid-template:"t t" auto "b s" auto/1fr auto;gap:.25em .75em}
.live:not(.begun,.large) .title{grid-column:1/-1}
.live i{--a:var(--m)}
.art{display:none}
.pill .card{display:inline-flex;max-width:100%;min-height:0;gap:.625em;padding-block:.1875em;padding-inline:.1875em 1em;border-radius:2em}
.pill.begun .card{padding-inline-end:.25em}
.pill :is(.mid,.times){display:contents}
.pill .play{width:2.5em;height:2.5em}
.pill :is(.back,.forward,.end){display:none}
.pill .title{-webkit-line-clamp:1}
.pill.begun .bar{order:1;width:9em}
.pill :is(.total,.speed){order:2;margin:0}
ol{margin:.5em 0 0;padding:.25em;padding-inline-start:2.25em;max-height:15.5em;overflow:auto}
li::marker{color:var(--m)}
[aria-current]{font-weight:600}
li:has([aria-current])::marker{content:"▸ "}
li button{display:inline-flex;align-items:center;width:100%;min-height:2.5em;padding:.5em .75em;text-align:start;border-radius:.5em}
.said{position:absolute;width:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.float{position:fixed;margin:0;color:inherit;font-size:1rem;padding:.5em;overflow:hidden}
.compact:not(.begun,.live) .status{min-height:1.3em}
@container (width<25em){.compact:not(.begun,.live) .status{min-height:2.6em}}
@container (width>=34em){.card{min-height:4.75em}.compact.begun .play{margin-inline-end:.375em}}
@container (width>=25em){.large .card{min-height:16em}}
@container (width<34em){.compact.begun .card :is(.back,.transcript),.compact :is(.previous,.next){display:none}.mid{margin-inline:.75em .25em}}
@container (width<15em){.compact.begun :is(.speed,.elapsed){display:none}}
@media print{:host{display:none!important}}
@media (prefers-reduced-motion){*,::after{transition:none!important;animation:none!important}}
@media (forced-colors:active){.root{--a:CanvasText;--o:Canvas;--t:GrayText;--m:CanvasText}.play,i,input{forced-color-adjust:none}}
`;

/** Shared by all players. A constructed style sheet works under the strictest style policy. */
export const styles = new CSSStyleSheet();
styles.replaceSync(css);
