// Markdown as models write it, sanitised: DOMPurify filters the output of marked. Images of other
// hosts become links, since a model could send them data in the address.

import DOMPurify from '../lib/purify.js';
import {Marked} from '../lib/marked.js';
import {announce, h, icon} from '../dom.js';

const SIMPLE = /^<\/?(b|br|del|em|i|kbd|mark|s|strong|sub|sup|u)\s*\/?>$/i;

/** Maximum length of a formula, in characters. */
const FORMULA = 4000;

/** The formula at the start of a text, in one of the notations of LaTeX and Markdown. */
function formula(src) {
    for (const [open, close] of [['$$', '$$'], ['\\[', '\\]'], ['\\(', '\\)']]) {
        if (src.startsWith(open)) {
            const end = src.slice(0, FORMULA).indexOf(close, open.length);
            const text = src.slice(open.length, end);
            return end < 0 || text.trim() === '' ? null
                : {raw: src.slice(0, end + close.length), text: text.trim(), display: open !== '\\('};
        }
    }
    // Amounts of money are no formulas: no space within the signs, no digit after them.
    const [raw, text] = /^\$(?![\s$])((?:\\[^\n]|[^\\$\n])+)(?<!\s)\$(?![\d$])/.exec(src) ?? [];
    return raw ? {raw, text, display: false} : null;
}

/** Formulas stay code until the library for them is loaded; see rich.js. */
const MATHEMATICS = [{
    name: 'formula',
    level: 'inline',
    start: src => /\$|\\[([]/.exec(src)?.index,
    tokenizer(src) {
        const found = formula(src);
        return found ? {type: 'formula', ...found} : undefined;
    },
    renderer({text, display}) {
        return `<code class="${display ? 'math display' : 'math'}">${escaped(text)}</code>`;
    },
}, {
    name: 'formulaBlock',
    level: 'block',
    start: src => {
        const found = /\n {0,3}(?:\$\$|\\\[)/.exec(src);
        return found ? found.index + 1 : undefined;
    },
    tokenizer(src) {
        const [indent] = /^ {0,3}(?=\$\$|\\\[)/.exec(src) ?? [];
        const found = indent === undefined ? null : formula(src.slice(indent.length));
        const [end] = found ? /^[ \t]*(?:\n+|$)/.exec(src.slice(indent.length + found.raw.length)) ?? [] : [];
        return end === undefined ? undefined
            : {type: 'formulaBlock', raw: indent + found.raw + end, text: found.text};
    },
    renderer({text}) {
        return `<p><code class="math display">${escaped(text)}</code></p>`;
    },
}];

const marked = new Marked({
    gfm: true,
    breaks: true,
    renderer: {
        // Tags are shown as text, except those that only format characters.
        html({text}) {
            return SIMPLE.test(text.trim()) ? text : escaped(text);
        },
        image({href, title, text}) {
            return `<a href="${escaped(href)}">${escaped(text || title || href)}</a>`;
        },
        checkbox({checked}) {
            return checked ? '☑ ' : '☐ ';
        },
    },
}, {extensions: MATHEMATICS});

const ALLOWED = {
    ALLOWED_TAGS: [
        'a', 'b', 'blockquote', 'br', 'code', 'del', 'em', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'i',
        'kbd', 'li', 'mark', 'ol', 'p', 'pre', 's', 'strong', 'sub', 'sup', 'table', 'tbody', 'td', 'th',
        'thead', 'tr', 'u', 'ul',
    ],
    ALLOWED_ATTR: ['align', 'class', 'href', 'start', 'title'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    // Values of all other attributes are treated as addresses.
    ADD_URI_SAFE_ATTR: ['align', 'start'],
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
    RETURN_DOM_FRAGMENT: true,
};

function escaped(text) {
    return text.replace(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`);
}

/** Maximum nesting of lists and quotes: deeper ones take the parser too long. */
const DEEPLY_NESTED = /^(?:[ \t>]|[*+-](?=[ \t])|\d{1,9}[.)](?=[ \t])){200}/m;

/** Blocks of a text; none if it cannot be parsed as Markdown. */
function blocks(text) {
    if (DEEPLY_NESTED.test(text)) {
        return [];
    }
    try {
        return marked.lexer(text);
    } catch {
        return [];
    }
}

function parsed(text) {
    if (!DEEPLY_NESTED.test(text)) {
        try {
            return DOMPurify.sanitize(marked.parse(text), ALLOWED);
        } catch {
            // Shown as plain text.
        }
    }
    const fragment = document.createDocumentFragment();
    fragment.append(h('p.plain', {}, text));
    return fragment;
}

/** Creates a fragment of a text. */
export function render(text) {
    const fragment = parsed(text);
    for (const block of fragment.querySelectorAll('p, li, h1, h2, h3, h4, h5, h6, td, th, ul, ol')) {
        block.dir = 'auto';
    }
    for (const link of fragment.querySelectorAll('a')) {
        if (link.hasAttribute('href')) {
            link.target = '_blank';
            link.rel = 'noopener noreferrer';
        }
    }
    let level = 1;
    for (const heading of fragment.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
        const rank = Number(heading.tagName[1]);
        // Below the heading of the page, without gaps, whatever the model wrote; the style shows its rank.
        level = Math.min(rank + 1, level + 1, 6);
        const lowered = h(`h${level}.rank-${rank}`);
        lowered.append(...heading.childNodes);
        heading.replaceWith(lowered);
    }
    for (const code of fragment.querySelectorAll('pre > code')) {
        code.parentElement.replaceWith(codeBlock(code));
    }
    for (const table of fragment.querySelectorAll('table')) {
        const frame = h('div.table', {tabindex: '0', role: 'region', 'aria-label': 'Table'});
        table.replaceWith(frame);
        frame.append(table);
    }
    return fragment;
}

/** Highlights the code and typesets the formulas of elements, with libraries that are loaded for the first ones. */
function enrich(nodes) {
    const codes = nodes.flatMap(node => [...node.querySelectorAll?.('code.math, code[data-language]') ?? []]);
    if (codes.length > 0) {
        import('./rich.js').then(rich => rich.enrich(codes)).catch(() => {
            // An older page, or a server that is gone: the text stays plain.
        });
    }
}

function codeBlock(code) {
    const language = /language-(\S+)/.exec(code.className)?.[1] ?? '';
    const text = code.textContent;
    if (language === 'math') {
        code.className = 'math display';
        return h('p', {}, code);
    }
    code.removeAttribute('class');
    code.dataset.language = language.toLowerCase();
    return h('div.code', {},
        h('div.code-head', {},
            h('span', {}, language || 'text'),
            copyButton(() => text, 'Copy code')),
        h('pre', {tabindex: '0', role: 'region', 'aria-label': `Code, ${language || 'text'}`}, code));
}

/** Button that copies the result of a function. */
export function copyButton(text, label) {
    const button = h('button.quiet.small', {
        type: 'button',
        'aria-label': label,
        title: label,
        onclick: async () => {
            const copied = await copy(text());
            button.replaceChildren(icon(copied ? 'check' : 'cross'));
            announce(copied ? 'Copied' : 'The browser does not let this page copy');
            setTimeout(() => button.replaceChildren(icon('copy')), 1500);
        },
    }, icon('copy'));
    return button;
}

async function copy(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        // Over plain HTTP from another host the clipboard API is missing: uses execCommand.
        const field = h('textarea.unseen', {value: text});
        document.body.append(field);
        field.select();
        const copied = document.execCommand('copy');
        field.remove();
        return copied;
    }
}

/**
 * A growing text in an element. Complete blocks are rendered once, so that the work per token does
 * not grow with the response.
 */
export class GrowingText {
    #element;
    #fixed = 0;
    #tail = [];
    #text = '';
    #isWhole = false;

    constructor(element) {
        this.#element = element;
    }

    /** Shows a text that begins with the previous one. */
    setText(text) {
        if (text === this.#text) {
            return;
        }
        this.#isWhole = false;
        if (!text.startsWith(this.#text.slice(0, this.#fixed))) {
            this.whole(text);
            return;
        }
        this.#text = text;
        // The last block grows; the block before it may merge with it.
        const settled = blocks(text.slice(this.#fixed)).slice(0, -2).reduce((length, block) => length + block.raw.length, 0);
        if (this.#fixed === 0) {
            // Also formulas that replaced a node of the tail.
            this.#element.replaceChildren();
        }
        this.#tail.forEach(node => node.remove());
        if (settled > 0) {
            const made = render(text.slice(this.#fixed, this.#fixed + settled));
            enrich([...made.children]);
            this.#element.append(made);
            this.#fixed += settled;
        }
        const tail = render(text.slice(this.#fixed));
        this.#tail = [...tail.childNodes];
        this.#element.append(tail);
    }

    /** Shows a text at once, for example a complete one. */
    whole(text) {
        if (this.#isWhole && text === this.#text) {
            return;
        }
        this.#text = text;
        this.#isWhole = true;
        this.#fixed = 0;
        this.#tail = [];
        const made = render(text);
        enrich([...made.children]);
        this.#element.replaceChildren(made);
    }
}
