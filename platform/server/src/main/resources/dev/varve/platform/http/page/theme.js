// Light and dark theme: that of the system until the user chooses.

import {h, icon} from './dom.js';

const dark = matchMedia('(prefers-color-scheme: dark)');

function current() {
    return document.documentElement.dataset.theme ?? (dark.matches ? 'dark' : 'light');
}

/** Button that switches the theme. */
export function themeButton() {
    const button = h('button.quiet', {type: 'button', onclick: toggle});

    function toggle() {
        const next = current() === 'dark' ? 'light' : 'dark';
        document.documentElement.dataset.theme = next;
        try {
            localStorage.setItem('varve.theme', next);
        } catch {
            // The choice lasts until the page is closed.
        }
        draw();
    }

    function draw() {
        const next = current() === 'dark' ? 'light' : 'dark';
        button.replaceChildren(icon(next === 'dark' ? 'moon' : 'sun'));
        button.setAttribute('aria-label', `Use ${next} colours`);
        button.title = `Use ${next} colours`;
    }

    dark.addEventListener('change', draw);
    draw();
    return button;
}
