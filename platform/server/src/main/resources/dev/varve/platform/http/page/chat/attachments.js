// Files that the user attaches to a message: their texts and images are sent with it.

import {announce, h, icon} from '../dom.js';

/** The attached files, as a list of names with buttons. */
export class Attachments {
    #files = [];
    #pending = 0;
    /** Resolves once all files are read; one at a time, so that the limits hold. */
    #read = Promise.resolve();
    #report;
    /** Reasons of the files that were refused since the list was last read. */
    #problems = [];
    #changed;

    /**
     * @param {(problem: string) => void} report reports the files that are refused; empty: none is
     * @param {() => void} changed
     */
    constructor(report, changed) {
        this.#report = report;
        this.#changed = changed;
        this.element = h('ul.files', {'aria-label': 'Attached files', hidden: true});
    }

    /** Why images cannot be attached; empty: they can. */
    imageProblem = '';

    /** The files: {name, text, pages, image}. */
    get files() {
        return this.#files;
    }

    set files(files) {
        this.#files = files;
        this.#draw();
    }

    /** Whether a file is being read. */
    get isReading() {
        return this.#pending > 0;
    }

    /** Reads and attaches files; reports each that cannot be. */
    add(list) {
        const files = [...list];
        if (!this.isReading) {
            this.#problems = [];
        }
        this.#pending++;
        this.#draw();
        this.#report(this.#problems.join(' '));
        this.#read = this.#read.then(() => this.#add(files));
    }

    async #add(files) {
        try {
            const {readFile} = await import('./files.js');
            for (const file of files) {
                await this.#attach(file, readFile);
            }
        } catch (error) {
            this.#refuse(error);
        } finally {
            this.#pending--;
            this.#draw();
        }
    }

    /** Attaches one file; the others do not depend on it. */
    async #attach(file, readFile) {
        try {
            const read = await readFile(file, this.#files, this.imageProblem);
            // The user may have removed others since.
            this.#files = [...this.#files, read];
            announce(`${file.name} is attached`);
            this.#draw();
        } catch (error) {
            this.#refuse(error);
        }
    }

    #refuse(error) {
        if (!this.#problems.includes(error.message)) {
            this.#problems.push(error.message);
        }
        this.#report(this.#problems.join(' '));
    }

    #draw() {
        this.element.hidden = this.#files.length === 0 && !this.isReading;
        this.element.replaceChildren(...this.#files.map(file => h('li', {},
            file.image ? h('img', {src: file.image, alt: ''}) : icon('file'), h('span.file-name', {dir: 'auto', title: file.name}, file.name),
            h('button.quiet.small', {
                type: 'button',
                'aria-label': `Remove ${file.name}`,
                title: 'Remove',
                onclick: () => {
                    this.files = this.#files.filter(each => each !== file);
                },
            }, icon('cross')))), ...this.isReading ? [h('li.muted', {}, 'Reading…')] : []);
        this.#changed();
    }
}
