// One response, from the request to its end. The server continues it when this page is closed: the
// message has its stream and its last event, from which a later page resumes.

import {ServerError, wait} from '../server.js';
import {events} from './events.js';
import {watchQuestion} from './progress.js';
import {newId} from './store.js';

const SAVE_MILLIS = 400;
const TRIES = 8;

export class Answer {
    #server;
    #message;
    #changed;
    #save;
    #abort = new AbortController();
    /** Aborted when the first part of the response arrives. */
    #silent = new AbortController();
    #requestId = newId();
    #stopped = false;
    #saved = 0;
    /** Whether text was stored, without which the response cannot be continued. */
    #hasWords = false;
    #begin = performance.now();

    /**
     * @param server
     * @param message message of the assistant, which is modified
     * @param {() => void} changed called after each change
     * @param {() => Promise} save stores the message
     */
    constructor(server, message, changed, save) {
        this.#server = server;
        this.#message = message;
        this.#changed = changed;
        this.#save = save;
    }

    /** Sends the request, and returns when the response has ended; the message has the reason. */
    async ask(body) {
        watchQuestion(this.#server, this.#requestId, this.#silent.signal, words => {
            this.#message.waits = words;
            this.#changed();
        });
        await this.#run(() => this.#sent(body));
    }

    async #sent(body) {
        for (;;) {
            try {
                const response = await this.#server.send('/v1/chat/completions', {
                    body,
                    headers: {'x-varve-resumable': '1', 'x-request-id': this.#requestId},
                    signal: this.#abort.signal,
                });
                delete this.#message.waits;
                return response;
            } catch (error) {
                if (error.code !== 'model_loading') {
                    throw error;
                }
                this.#message.waits = 'The server loads the model…';
                this.#changed();
                await wait(1000 * (error.retryAfterSeconds ?? 1), this.#abort.signal);
                this.#abort.signal.throwIfAborted();
            }
        }
    }

    /** Resumes a stream that an earlier page, or this one, began. */
    async resume() {
        this.#begin = performance.now() - (this.#message.facts?.millis ?? 0);
        await this.#run(() => this.#take());
    }

    /** Cancels the response. */
    async stop() {
        this.#stopped = true;
        const id = this.#message.stream?.id;
        this.#abort.abort();
        if (id) {
            // Without this the server would generate for a while, for a client that resumes.
            await this.#server.send(`/v1/streams/${id}`, {method: 'DELETE', quiet: true}).catch(() => {});
        }
    }

    async #run(open) {
        const message = this.#message;
        message.state = 'running';
        delete message.error;
        await this.#save();
        try {
            await this.#read(open);
            message.state = 'done';
        } catch (error) {
            if (this.#stopped) {
                message.state = 'stopped';
            } else {
                message.state = 'broken';
                message.error = {
                    status: error.status ?? 0,
                    code: error.code ?? '',
                    message: error.message,
                    retryAfterSeconds: error.retryAfterSeconds,
                };
            }
        }
        this.#silent.abort();
        delete message.stream;
        delete message.waits;
        message.facts = {...message.facts, millis: performance.now() - this.#begin};
        this.#changed();
        await this.#save();
    }

    async #read(open) {
        let next = open;
        for (let tries = 0;;) {
            try {
                const response = await next();
                const had = this.#message.stream?.last ?? 0;
                if (await this.#readTo(response)) {
                    return;
                }
                tries = (this.#message.stream?.last ?? 0) > had ? 0 : tries;
                throw new ServerError(0, 'broken_off', 'The connection was lost.');
            } catch (error) {
                const isCutOff = !(error instanceof ServerError) || error.isGone;
                if (this.#abort.signal.aborted || !isCutOff || !this.#message.stream || ++tries > TRIES) {
                    throw error;
                }
                this.#message.waits = 'The connection was lost. Retrying…';
                this.#changed();
                await wait(Math.min(250 * 2 ** tries, 5000), this.#abort.signal);
                next = () => this.#take();
            }
        }
    }

    #take() {
        const {id, last} = this.#message.stream;
        return this.#server.send(`/v1/streams/${id}?after=${last}`, {signal: this.#abort.signal});
    }

    /** Reads events; returns whether the response is complete. */
    async #readTo(response) {
        delete this.#message.waits;
        if (response.status === 204) {
            return true;
        }
        const id = response.headers.get('x-varve-stream');
        if (id) {
            this.#message.stream = {last: 0, ...this.#message.stream, id};
        }
        for await (const event of events(response)) {
            if (event.data === '[DONE]') {
                return true;
            }
            const data = JSON.parse(event.data);
            if (data.error) {
                throw new ServerError(503, data.error.code ?? '', data.error.message);
            }
            this.#add(data);
            if (this.#message.stream && event.id) {
                this.#message.stream.last = Number(event.id.slice(event.id.lastIndexOf(':') + 1));
            }
            this.#changed();
            const first = !this.#hasWords && this.#message.content !== '';
            if (first || performance.now() - this.#saved > SAVE_MILLIS) {
                this.#hasWords = this.#message.content !== '';
                this.#saved = performance.now();
                this.#message.facts = {...this.#message.facts, millis: this.#saved - this.#begin};
                this.#save();
            }
        }
        return false;
    }

    #add(data) {
        const message = this.#message;
        message.model = data.model ?? message.model;
        const choice = data.choices?.[0];
        const delta = choice?.delta ?? {};
        if (delta.content || delta.reasoning_content || delta.tool_calls) {
            this.#silent.abort();
            delete message.waits;
            message.facts ??= {};
            message.facts.firstMillis ??= performance.now() - this.#begin;
            message.facts.chunks = (message.facts.chunks ?? 0) + 1;
        }
        message.content += delta.content ?? '';
        message.reasoning += delta.reasoning_content ?? '';
        for (const part of delta.tool_calls ?? []) {
            const call = message.calls[part.index] ??= {id: '', name: '', arguments: ''};
            call.id = part.id ?? call.id;
            call.name += part.function?.name ?? '';
            call.arguments += part.function?.arguments ?? '';
        }
        if (choice?.finish_reason) {
            message.finish = choice.finish_reason;
        }
        if (data.usage) {
            message.facts = {...message.facts, usage: data.usage, timings: data.timings};
        }
    }
}
