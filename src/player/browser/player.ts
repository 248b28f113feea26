/** `<lectern-player>`: lets the post of a page be heard. */
class LecternPlayer extends HTMLElement {
  connectedCallback(): void {
    this.attachShadow({ mode: 'open' });
  }
}

if (customElements.get('lectern-player') === undefined) {
  customElements.define('lectern-player', LecternPlayer);
}
