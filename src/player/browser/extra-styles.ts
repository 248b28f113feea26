// Of the large layout, the menu and the transcript; the rest is in styles.ts.
const css = `
.large .card{display:grid;align-content:start;grid-template:2.5em 3.5em auto auto auto/1fr auto auto auto 1fr;gap:0 .25em;padding:1.25em;position:relative}
.large :is(.mid,.times){display:contents}
.large .art{position:absolute;inset-block-start:1.25em;inset-inline-start:1.25em;display:grid;place-items:center;width:5.5em;height:5.5em;border-radius:calc(var(--r)*.6);background:var(--a)}
.art span{color:var(--o);font-size:2.5em;font-weight:600}
.large :is(.title,.status){grid-column:1/-1;margin-inline-start:7em}
.large .status{grid-row:1;display:grid;align-self:stretch;align-content:end;padding-block-end:.25em;margin-inline-start:8em}
.large .title{grid-row:2;align-self:start;margin-inline-start:4.95em;font-size:1.3125em;line-height:1.25}
.large .bar{grid-area:3/1/auto/-1;margin-block-start:.75em}
.large :is(.elapsed,.total){grid-row:4}
.large .total{grid-column:5;text-align:end}
.large :is(.back,.forward,.play,.speed,.end){grid-row:5;align-self:center;margin-block-start:.5em}
.large .speed{grid-column:1;margin-inline-start:-.5em}
.large .back{grid-column:2}
.large .play{grid-column:3;width:3.5em;height:3.5em;margin-inline:.25em}
.large .forward{grid-column:4}
.large .end{grid-column:5;justify-self:end;margin-inline-end:-.625em}
.panel{display:grid;grid-template-rows:auto 1fr;font-size:var(--lectern-font-size,medium);line-height:1.3}
.panel[popover]:not(:popover-open){display:none}
.card .panel{grid-column:1/-1;margin:1em -1.25em -1.25em;border-top:1px solid var(--l)}
.card .panel header{display:none}
.panel header{display:flex;align-items:center;padding-block:.25em;padding-inline:1.25em .25em;border-bottom:1px solid var(--l)}
h2{flex:1;margin:0;font-size:1.0625em}
.text{max-height:21em;overflow:auto;scrollbar-width:thin;scrollbar-color:var(--m) #0000;overscroll-behavior:contain;padding:1em 1.25em;font-size:1.0625em;line-height:1.6}
.text p{display:grid;grid-template-columns:3em 1fr;margin:0 0 .875em}
.text button{align-self:start;min-height:2.125em;font-size:.75em;color:var(--m);text-align:start;font-variant-numeric:tabular-nums}
.text .head{font-weight:600}
.text span span{cursor:pointer}
.text .past{color:var(--m)}
.text .now{background:var(--lectern-highlight,light-dark(#fbe3ae,#4a3813));color:var(--lectern-highlight-text,light-dark(#191a18,#eeece6));border-radius:.2em;box-shadow:0 0 0 .125em var(--lectern-highlight,light-dark(#fbe3ae,#4a3813));box-decoration-break:clone;-webkit-box-decoration-break:clone}
.sheet{inset:auto 0 0;height:auto;width:min(42em,100%);margin-inline:auto;padding:0;border-radius:1em 1em 0 0}
.sheet .text{max-height:min(60vh,30em)}
.menu{position:absolute;inset:auto;width:17em;max-width:calc(100vw - 1em);padding:.375em;font-size:var(--lectern-font-size,medium);line-height:1.3;border-radius:max(var(--r),.625em)}
.menu :is(button,label){display:flex;align-items:center;gap:.75em;width:100%;min-height:2.75em;padding:0 .75em;border-radius:.375em;font-size:.9375em;text-align:start}
.menu :is(button,label):hover{background:var(--t)}
.large .menu .transcript{display:none}
.menu select{flex:1;min-width:0;min-height:2.75em;text-align:end;text-align-last:end;text-decoration:underline}
.menu time{color:var(--m);font-variant-numeric:tabular-nums}
.menu hr{border:0;border-top:1px solid var(--l);margin:.375em 0}
.mini{font-size:var(--lectern-font-size,medium);inset:auto auto max(1em,env(safe-area-inset-bottom));inset-inline-end:1em;width:min(22.5em,100% - 1.5em);align-items:center;gap:.5em;border-radius:max(var(--r),.625em)}
.mini:popover-open{display:flex;animation:rise .25s}
.mini.top{inset-block:1em auto}
.mini .play{width:2.5em;height:2.5em}
.mini-about{flex:1;min-width:0;display:grid}
.mini-title{font-weight:600;overflow:hidden;padding:.25em;margin:-.25em;border-radius:.25em;white-space:nowrap;text-overflow:ellipsis;text-align:inherit}
.mini-about *,.text p>:last-child,[part=chapter]{unicode-bidi:plaintext}
.mini-line{position:absolute;inset:auto 0 0;height:3px;background:var(--a);transform-origin:left;scale:var(--p) 1}
[dir=rtl] .mini-line{transform-origin:right}
@keyframes rise{from{opacity:0;translate:0 .5em}}
@media (width<30em){.mini{inset-inline:.75em;inset-block-end:max(.75em,env(safe-area-inset-bottom))}}
@container (width>=34em){.begun .menu .transcript{display:none}}
@container (width<34em){.large .card{grid-template-rows:2.25em 4.25em auto auto auto}.large .art{width:4.25em;height:4.25em}.large .status{margin-inline-start:6.3em}.large .title{margin-inline-start:4.55em;font-size:1.125em;-webkit-line-clamp:3}}
@container (width<18em){.large .card{padding:1em .75em}.large .elapsed{grid-column:1/4}.large :is(.art,.back,.forward,.speed){display:none}.large :is(.title,.status){margin-inline-start:0}}
@media (forced-colors:active){.mini-line{forced-color-adjust:none}.text .now{forced-color-adjust:none;background:Highlight;color:HighlightText;box-shadow:none}}
`;

export const styles = new CSSStyleSheet();
styles.replaceSync(css);
