// Highlighted code and typeset formulas. The libraries are loaded for the first code block or formula.

import DOMPurify from '../lib/purify.js';
import {styleSheet} from '../dom.js';

/** Longer code stays plain, since the highlighter would block the page. */
const CODE_CHARACTERS = 50_000;
/** Formulas of one call; a response with more is hostile. */
const FORMULAS = 500;

/** Names of languages that differ from their files. */
const LANGUAGES = Object.fromEntries(Object.entries({
    bash: 'sh shell zsh console shell-session',
    cpp: 'c++ cc cxx h hpp cuda',
    csharp: 'cs c#',
    clojure: 'clj',
    css: 'pcss',
    dockerfile: 'docker',
    elixir: 'ex exs',
    fsharp: 'fs f#',
    go: 'golang',
    graphql: 'gql',
    haskell: 'hs',
    ini: 'toml conf cfg',
    javascript: 'js jsx mjs cjs',
    json: 'jsonc json5',
    julia: 'jl',
    kotlin: 'kt kts',
    latex: 'tex',
    makefile: 'make mk',
    markdown: 'md',
    objectivec: 'objc objective-c',
    ocaml: 'ml',
    perl: 'pl',
    powershell: 'ps ps1 pwsh',
    python: 'py py3 python3',
    ruby: 'rb',
    rust: 'rs',
    typescript: 'ts tsx mts cts',
    verilog: 'v sv systemverilog',
    wasm: 'wat',
    x86asm: 'asm nasm',
    xml: 'html xhtml svg plist vue',
    yaml: 'yml',
}).flatMap(([file, names]) => names.split(' ').map(name => [name, file])));

/** Libraries, by their names; each is loaded once, and again after a failure. */
const loads = new Map();

function once(name, load) {
    if (!loads.has(name)) {
        loads.set(name, load().catch(error => {
            loads.delete(name);
            throw error;
        }));
    }
    return loads.get(name);
}

/**
 * Enriches code elements; those that cannot be enriched stay plain.
 *
 * @param {Element[]} codes code with the class "math", or with a language
 */
export async function enrich(codes) {
    const formulas = codes.filter(code => code.classList.contains('math')).slice(0, FORMULAS);
    if (formulas.length > 0) {
        const katex = await once('katex', mathematics);
        formulas.forEach(code => typeset(katex, code));
    }
    for (const code of codes) {
        if (code.dataset.language && code.textContent.length <= CODE_CHARACTERS) {
            await highlight(code);
        }
    }
}

async function mathematics() {
    styleSheet(new URL('../lib/katex.css', import.meta.url));
    return (await import('../lib/katex.js')).default;
}

/**
 * Replaces TeX by the typeset formula. KaTeX builds elements, no HTML; without trust it makes no
 * links and loads no pictures.
 */
function typeset(katex, code) {
    const display = code.classList.contains('display');
    const made = document.createElement(display ? 'div' : 'span');
    try {
        katex.render(code.textContent, made, {
            displayMode: display,
            throwOnError: true,
            trust: false,
            strict: 'ignore',
            maxExpand: 200,
            maxSize: 20,
            errorColor: 'var(--bad)',
        });
    } catch (error) {
        code.title = error.message;
        return;
    }
    made.className = display ? 'formula display' : 'formula';
    if (display) {
        // Wide formulas scroll.
        made.tabIndex = 0;
        made.role = 'group';
        made.ariaLabel = 'Formula';
    }
    const paragraph = code.parentElement;
    if (display && paragraph?.localName === 'p' && paragraph.childNodes.length === 1) {
        paragraph.replaceWith(made);
    } else {
        code.replaceWith(made);
    }
}

async function highlight(code) {
    const name = LANGUAGES[code.dataset.language] ?? code.dataset.language;
    try {
        const [{default: highlighter}, {default: known}] = await once('highlight',
            () => Promise.all([import('../lib/highlight.js'), import('../lib/languages.js')]));
        if (!known.includes(name)) {
            return;
        }
        const {default: language} = await once(`language-${name}`, () => import(`../lib/languages/${name}.js`));
        highlighter.registerLanguage(name, language);
        const {value} = highlighter.highlight(code.textContent, {language: name, ignoreIllegals: true});
        code.replaceChildren(DOMPurify.sanitize(value,
            {ALLOWED_TAGS: ['span'], ALLOWED_ATTR: ['class'], RETURN_DOM_FRAGMENT: true}));
    } catch {
        // The server is gone: the code stays plain.
    }
}
