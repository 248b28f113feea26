import { render } from 'preact';
import './style.css';

const root = document.querySelector<HTMLElement>('#app');
if (root !== null) render(<h1>Lectern</h1>, root);
