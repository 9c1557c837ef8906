// Time and tokens of a response, in one line and in full.

import {h} from '../dom.js';
import {bytes, count, duration, percent} from '../format.js';

/** Tokens per second, measured by the server, or by this page while they arrive. */
function speed(facts, running) {
    const measured = facts.timings?.decode_tokens_per_second;
    if (measured) {
        return `${measured.toFixed(1)} tokens/s`;
    }
    const millis = (facts.millis ?? 0) - (facts.firstMillis ?? 0);
    return running && facts.chunks > 4 && millis > 200
        ? `about ${Math.round(facts.chunks / millis * 1000)} tokens/s`
        : '';
}

function cached(facts) {
    const prompt = facts.usage?.prompt_tokens ?? 0;
    const had = facts.usage?.prompt_tokens_details?.cached_tokens ?? 0;
    return prompt > 0 ? `${count(had)} of ${count(prompt)} prompt tokens cached` : '';
}

function accepted(facts) {
    const {draft_tokens: drafted = 0, accepted_tokens: taken = 0} = facts.timings ?? {};
    return drafted > 0 ? `${percent(taken / drafted)} of draft tokens accepted` : '';
}

/** The most important values. */
export function line(message) {
    const facts = message.facts ?? {};
    const generated = facts.usage?.completion_tokens;
    return [
        speed(facts, message.state === 'running'),
        generated === undefined ? '' : `${count(generated)} tokens`,
        cached(facts),
        accepted(facts),
    ].filter(part => part !== '').join(' · ');
}

/** All values, as a list with names. */
export function table(message) {
    const facts = message.facts ?? {};
    const usage = facts.usage ?? {};
    const timings = facts.timings ?? {};
    const rows = [
        ['Model', message.model],
        ['First token after', facts.firstMillis === undefined ? null : duration(facts.firstMillis)],
        ['Whole response', facts.millis === undefined ? null : duration(facts.millis)],
        ['Waited in the queue', timings.queue_ms === undefined ? null : duration(timings.queue_ms)],
        ['Prompt', usage.prompt_tokens === undefined ? null
            : `${count(usage.prompt_tokens)} tokens in ${duration(timings.prefill_ms ?? 0)}`],
        ['Cached prompt tokens', cacheLabel(usage, timings)],
        ['Prompt compressed to', usage.effective_prompt_tokens === undefined ? null
            : `${count(usage.effective_prompt_tokens)} tokens`],
        ['Response', usage.completion_tokens === undefined ? null
            : `${count(usage.completion_tokens)} tokens in ${duration(timings.decode_ms ?? 0)}`],
        ['Reasoning', usage.completion_tokens_details?.reasoning_tokens
            ? `${count(usage.completion_tokens_details.reasoning_tokens)} tokens` : null],
        ['Draft tokens', timings.draft_tokens
            ? `${count(timings.accepted_tokens)} of ${count(timings.draft_tokens)} accepted,`
                + ` ${timings.acceptance_length} tokens per step` : null],
        ['Pages', timings.kvflash
            ? `${timings.kvflash.resident_pages} on devices, ${timings.kvflash.host_pages} in host memory`
            : null],
    ];
    return h('dl.facts-table', {}, rows
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));
}

function cacheLabel(usage, timings) {
    const had = usage.prompt_tokens_details?.cached_tokens;
    if (had === undefined) {
        return null;
    }
    const source = timings.cache_source ? ` from ${timings.cache_source.replaceAll('_', ' ')}` : '';
    const miss = timings.cache_miss ? ` (${timings.cache_miss.replaceAll('_', ' ')})` : '';
    const moved = timings.cache_restored_bytes > 0
        ? `, ${bytes(timings.cache_restored_bytes)} in ${duration(timings.cache_restore_ms)}` : '';
    return `${count(had)} tokens${source}${miss}${moved}`;
}
