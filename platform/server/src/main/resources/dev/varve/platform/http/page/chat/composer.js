// Field in which the user writes a message.

import {h, icon, show} from '../dom.js';
import {Attachments} from './attachments.js';

export class Composer {
    #field;
    #send;
    #stop;
    #running = false;
    #coarse = matchMedia('(pointer: coarse)');
    #attachments;
    #images;

    /**
     * @param {(text: string, files: object[]) => void} onsend
     * @param {() => void} onstop
     * @param {(problem: string) => void} report reports a file that cannot be attached
     */
    constructor(onsend, onstop, report) {
        this.#attachments = new Attachments(report, () => this.#fit());
        this.#field = h('textarea', {
            id: 'question',
            rows: '1',
            dir: 'auto',
            placeholder: 'Ask something',
            'aria-describedby': 'question-help',
            oninput: () => this.#fit(),
            onpaste: event => {
                const {files = [], types = []} = event.clipboardData ?? {};
                // Office programs add a picture of the text that is copied.
                const isText = types.includes('text/plain') && [...files].every(file => /^image/.test(file.type));
                if (files.length > 0 && !isText) {
                    event.preventDefault();
                    this.attach(files);
                }
            },
            onkeydown: event => {
                // On a phone Enter inserts a line break; Enter within an input method does not send.
                if (event.key === 'Enter' && !event.shiftKey && !event.isComposing && !this.#coarse.matches) {
                    event.preventDefault();
                    this.#submit(onsend);
                }
            },
        });
        this.#send = h('button.send', {type: 'submit', 'aria-label': 'Send', title: 'Send (Enter)'},
            icon('send'));
        this.#stop = h('button.send.stop', {
            type: 'button',
            'aria-label': 'Stop',
            title: 'Stop (Escape)',
            hidden: true,
            onclick: onstop,
        }, icon('stop'));
        const picker = h('input', {
            type: 'file',
            multiple: true,
            hidden: true,
            tabindex: '-1',
            onchange: () => {
                this.attach(picker.files);
                // The same file may be picked again.
                picker.value = '';
                this.focus();
            },
        });
        // On a phone it offers the camera.
        const images = h('input', {
            type: 'file',
            accept: 'image/*',
            multiple: true,
            hidden: true,
            tabindex: '-1',
            onchange: () => {
                this.attach(images.files);
                images.value = '';
                this.focus();
            },
        });
        this.#images = h('button.quiet.attach', {
            type: 'button',
            'aria-label': 'Attach images',
            title: 'Attach images',
            hidden: true,
            onclick: () => images.click(),
        }, icon('picture'));
        this.element = h('form.composer', {
            onsubmit: event => {
                event.preventDefault();
                this.#submit(onsend);
            },
        },
        h('label.unseen', {for: 'question'}, 'Your message'),
        this.#attachments.element,
        picker, images,
        h('button.quiet.attach', {
            type: 'button',
            'aria-label': 'Attach files',
            title: 'Attach text or PDF files',
            onclick: () => picker.click(),
        }, icon('clip')),
        this.#images,
        this.#field, this.#send, this.#stop,
        h('p.unseen', {id: 'question-help'}, 'Enter sends, Shift+Enter starts a new line, Escape stops a response.'));
    }

    /** The unsent text. */
    get text() {
        return this.#field.value;
    }

    set text(text) {
        this.#field.value = text;
        this.#fit();
    }

    /** The attached files. */
    get files() {
        return this.#attachments.files;
    }

    set files(files) {
        this.#attachments.files = files;
    }

    /** Why the model gets no images; empty: it does, or that is unknown. */
    set imageProblem(problem) {
        this.#attachments.imageProblem = problem;
    }

    /** Whether the button for images is shown. */
    set offersImages(offers) {
        show(this.#images, offers);
    }

    /** Attaches files. */
    attach(files) {
        this.#attachments.add(files);
    }

    /** Focuses the field, except on touch screens, where a keyboard would open. */
    focus() {
        if (!this.#coarse.matches) {
            this.#field.focus();
        }
    }

    /** Sets whether a response is being generated. */
    set running(running) {
        const hadFocus = document.activeElement === this.#send || document.activeElement === this.#stop;
        this.#running = running;
        show(this.#send, !running);
        show(this.#stop, running);
        if (hadFocus) {
            this.#field.focus();
        }
    }

    #submit(onsend) {
        const text = this.#field.value;
        const {files, isReading} = this.#attachments;
        if (this.#running || isReading || text.trim() === '' && files.length === 0) {
            return;
        }
        this.#field.value = '';
        this.#attachments.files = [];
        this.#fit();
        onsend(text, files);
    }

    /** Adapts the height to the text, up to the limit of the style sheet. */
    #fit() {
        this.#field.style.setProperty('height', 'auto');
        this.#field.style.setProperty('height', `${this.#field.scrollHeight + 2}px`);
    }
}
